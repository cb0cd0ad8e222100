// Fastify: the HTTP framework of Node's ecosystem that checks nothing twice, closes cleanly, and keeps error shapes of doors apart.
import Fastify, { type FastifyInstance } from 'fastify';
import { BenchError } from '../domain/errors.js';
import type { DoorContext } from './context.js';
import { errorBody, sendError } from './http-errors.js';
import { mcpDoor } from './mcp/door.js';
import { metricsRoutes } from './metrics/routes.js';
import { nemoDoor } from './nemo/door.js';
import { openEnvDoor } from './openenv/door.js';
import { orsDoor } from './ors/door.js';
import { playing } from './play.js';
import { withoutPrefixes } from './prefixes.js';
import { harborRoutes } from './rollouts/harbor-routes.js';
import { rolloutRoutes } from './rollouts/routes.js';
import { restRoutes } from './rest/routes.js';
import { taskRoutes } from './task-api.js';
import { mayPlay } from './token.js';

/** The protocols over one environment. It holds no episode: those are rows and workflows, so that it may die at any moment. */
export function createDoor(context: DoorContext): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: 100 * 1024 * 1024,
    forceCloseConnections: true,
    rewriteUrl: withoutPrefixes,
  });
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
      if (request.url === '/health' || mayPlay(request.headers, token)) return;
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
  app.register(harborRoutes(context));
  app.register(taskRoutes(context));
  app.register(openEnvDoor(context, play));
  app.register(rolloutRoutes(context));
  app.register(orsDoor(context, play));
  app.register(nemoDoor(play));
  app.register(mcpDoor(context, play));
  return app;
}
