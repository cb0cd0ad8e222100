// Fastify: the HTTP framework of Node's ecosystem that checks nothing twice, closes cleanly, and keeps error shapes of doors apart.
import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { BenchError } from '../domain/errors.js';
import type { DoorContext } from './context.js';
import { errorBody, sendError } from './http-errors.js';
import { metricsRoutes } from './metrics/routes.js';
import { playing } from './play.js';
import { restRoutes } from './rest/routes.js';

/** The protocols over one environment. It holds no episode: those are rows and workflows, so that it may die at any moment. */
export function createDoor(context: DoorContext): FastifyInstance {
  const app = Fastify({ logger: false, bodyLimit: 100 * 1024 * 1024, forceCloseConnections: true });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  app.setNotFoundHandler((request, reply) =>
    sendError(
      reply,
      new BenchError('not_found', `no route ${request.method} ${request.url.split('?')[0] ?? ''}`, {
        remedy: 'GET /health says that the server is up; docs/guides/training.md lists the routes.',
      }),
    ),
  );
  const { token } = context;
  if (token !== null)
    app.addHook('onRequest', async (request, reply) => {
      if (request.url === '/health' || sameToken(tokenOf(request.headers), token)) return;
      return reply
        .code(401)
        .header('WWW-Authenticate', 'Bearer')
        .send(
          errorBody(
            new BenchError('usage', 'the token is missing or wrong', {
              code: 'token.wrong',
              remedy: 'Send `Authorization: Bearer <token>`.',
            }),
          ),
        );
    });
  app.get('/health', () => ({ status: 'healthy' }));
  const play = playing(context);
  app.register(restRoutes(context, play));
  app.register(metricsRoutes(context));
  return app;
}

function tokenOf(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  const { authorization = '', 'x-api-key': key } = headers;
  if (typeof key === 'string') return key;
  return String(authorization).replace(/^Bearer /i, '');
}

/** In a time that does not depend on how much of it is right. */
function sameToken(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
