import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import type { ServerContext } from '../../../envs/context.js';
import { mcpRoutes } from '../../../envs/mcp/routes.js';
import { nemoRoutes } from '../../../envs/nemo/routes.js';
import { newSessionId } from '../../../envs/ors/session.js';
import type { Play } from '../../../envs/play.js';
import type { ServerEnv } from '../../../envs/request.js';
import { restRoutes } from '../../../envs/rest/routes.js';
import { type EnvRequest, send } from '../../setup/env-request.js';

/** Whose services answer so, however long its server has waited for them. */
function server(thrown: BenchError): Hono<ServerEnv> {
  const fails = () => Promise.reject(thrown);
  const play = { known: fails, ofSession: fails } as Partial<Play> as Play;
  const context = { env: { options: { reward: {} } } } as ServerContext;
  const app = new Hono<ServerEnv>();
  for (const routes of [restRoutes(context, play), nemoRoutes(play), mcpRoutes(context, play)]) app.route('/', routes);
  return app;
}

const step = { response: { output: [] } };
const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ASKED: [string, EnvRequest][] = [
  ['REST', { method: 'POST', url: '/v1/episodes/e/step', payload: { action: 'ls', action_seq: 1 } }],
  [
    'NeMo Gym',
    { method: 'POST', url: '/nemo/step', payload: step, headers: { cookie: `bench_nemo=${'k'.repeat(32)}` } },
  ],
  ['MCP', { method: 'POST', url: '/v1/mcp', payload: request, headers: { 'mcp-session-id': newSessionId() } }],
];

test.each(ASKED)('over %s clients are told that services which are away come back', async (_protocol, asked) => {
  const { status, headers } = await send(server(new BenchError('services', 'the database is away')), asked);
  expect([status, headers.get('x-backend-state'), headers.get('retry-after')]).toEqual([503, 'starting', '1']);
});

test.each(ASKED)('over %s no other error says that it passes', async (_protocol, asked) => {
  const { headers } = await send(server(new BenchError('failed', 'a fault of the program')), asked);
  expect(headers.has('x-backend-state')).toBe(false);
});
