// Fastify: the HTTP framework of Node's ecosystem that checks nothing twice, closes cleanly, and keeps the protocols' error shapes apart.
import Fastify, { type FastifyInstance } from 'fastify';
import { BenchError } from '../domain/errors.js';
import type { ServerContext } from './context.js';
import { errorBody, sendError } from './http-errors.js';
import { mcpRoutes } from './mcp/routes.js';
import { metricsRoutes } from './metrics/routes.js';
import { nemoRoutes } from './nemo/routes.js';
import { openEnvRoutes } from './openenv/routes.js';
import { orsRoutes } from './ors/routes.js';
import { playing } from './play.js';
import { SESSION_HEADER, TASK_HEADER, withoutPrefixes } from './prefixes.js';
import { harborRoutes } from './rollouts/harbor-routes.js';
import { rolloutRoutes } from './rollouts/routes.js';
import { restRoutes } from './rest/routes.js';
import { refuseUnstorable } from './storable-input.js';
import { taskRoutes } from './task-api.js';
import { mayPlay } from './token.js';

/** Keys of bodies that hold what a model wrote, or what is not stored. */
const MODELS_WORDS = ['action', 'name', 'input', 'response', 'responses_create_params', 'verify_responses'];

/** The protocols over one environment. It holds no episode: those are rows and workflows, so that it may die at any moment. */
export function createEnvServer(context: ServerContext): FastifyInstance {
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
              code: 'token.invalid',
              remedy: 'Send `Authorization: Bearer <token>`.',
            }),
          ),
        );
    });
  app.addHook('preValidation', (request, _reply, done) => {
    const named = [TASK_HEADER, SESSION_HEADER].map((name) => request.headers[name]);
    refuseUnstorable({ path: request.params, query: request.query, prefix: named });
    // Protocols that read text themselves check it, too.
    if (typeof request.body === 'object') refuseUnstorable(request.body, MODELS_WORDS);
    done();
  });
  app.get('/health', () => ({ status: 'healthy' }));
  const play = playing(context);
  app.register(restRoutes(context, play));
  app.register(metricsRoutes(context));
  app.register(harborRoutes(context));
  app.register(taskRoutes(context));
  app.register(openEnvRoutes(context, play));
  app.register(rolloutRoutes(context));
  app.register(orsRoutes(context, play));
  app.register(nemoRoutes(play));
  app.register(mcpRoutes(context, play));
  return app;
}
