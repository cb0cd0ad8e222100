import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import type { DoorContext } from '../../../envs/context.js';
import { mcpDoor } from '../../../envs/mcp/door.js';
import { nemoDoor } from '../../../envs/nemo/door.js';
import { newSessionId } from '../../../envs/ors/session.js';
import type { Play } from '../../../envs/play.js';
import { restRoutes } from '../../../envs/rest/routes.js';

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** Whose services answer so, however long its doors have waited for them. */
function doors(thrown: BenchError): FastifyInstance {
  const fails = () => Promise.reject(thrown);
  const play = { known: fails, ofSession: fails } as Partial<Play> as Play;
  const context = { env: { options: { reward: {} } } } as DoorContext;
  app = Fastify();
  void app.register(restRoutes(context, play));
  void app.register(nemoDoor(play));
  void app.register(mcpDoor(context, play));
  return app;
}

const step = { response: { output: [] } };
const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ASKED: [string, InjectOptions][] = [
  ['REST', { method: 'POST', url: '/v1/episodes/e/step', payload: { action: 'ls', action_seq: 1 } }],
  ['NeMo Gym', { method: 'POST', url: '/nemo/step', payload: step, cookies: { bench_nemo: 'k'.repeat(32) } }],
  ['MCP', { method: 'POST', url: '/v1/mcp', payload: request, headers: { 'mcp-session-id': newSessionId() } }],
];

test.each(ASKED)('over %s clients are told that services which are away come back', async (_door, asked) => {
  const { statusCode, headers } = await doors(new BenchError('services', 'the database is away')).inject(asked);
  expect([statusCode, headers['x-backend-state'], headers['retry-after']]).toEqual([503, 'starting', '1']);
});

test.each(ASKED)('over %s no other error says that it passes', async (_door, asked) => {
  const { headers } = await doors(new BenchError('failed', 'a fault of the program')).inject(asked);
  expect(headers['x-backend-state']).toBeUndefined();
});
