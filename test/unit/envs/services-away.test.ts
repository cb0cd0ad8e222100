import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import type { ServerContext } from '../../../envs/context.js';
import { mcpRoutes } from '../../../envs/mcp/routes.js';
import { nemoRoutes } from '../../../envs/nemo/routes.js';
import { newSessionId } from '../../../envs/ors/session.js';
import type { Play } from '../../../envs/play.js';
import { restRoutes } from '../../../envs/rest/routes.js';

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** Whose services answer so, however long its server has waited for them. */
function server(thrown: BenchError): FastifyInstance {
  const fails = () => Promise.reject(thrown);
  const play = { known: fails, ofSession: fails } as Partial<Play> as Play;
  const context = { env: { options: { reward: {} } } } as ServerContext;
  app = Fastify();
  void app.register(restRoutes(context, play));
  void app.register(nemoRoutes(play));
  void app.register(mcpRoutes(context, play));
  return app;
}

const step = { response: { output: [] } };
const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ASKED: [string, InjectOptions][] = [
  ['REST', { method: 'POST', url: '/v1/episodes/e/step', payload: { action: 'ls', action_seq: 1 } }],
  ['NeMo Gym', { method: 'POST', url: '/nemo/step', payload: step, cookies: { bench_nemo: 'k'.repeat(32) } }],
  ['MCP', { method: 'POST', url: '/v1/mcp', payload: request, headers: { 'mcp-session-id': newSessionId() } }],
];

test.each(ASKED)('over %s clients are told that services which are away come back', async (_protocol, asked) => {
  const { statusCode, headers } = await server(new BenchError('services', 'the database is away')).inject(asked);
  expect([statusCode, headers['x-backend-state'], headers['retry-after']]).toEqual([503, 'starting', '1']);
});

test.each(ASKED)('over %s no other error says that it passes', async (_protocol, asked) => {
  const { headers } = await server(new BenchError('failed', 'a fault of the program')).inject(asked);
  expect(headers['x-backend-state']).toBeUndefined();
});
