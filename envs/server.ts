import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { BenchError } from '../domain/errors.js';
import type { ServerContext } from './context.js';
import { json, sendError } from './http-errors.js';
import { mcpRoutes } from './mcp/routes.js';
import { metricsRoutes } from './metrics/routes.js';
import { nemoRoutes } from './nemo/routes.js';
import { openEnvRoutes } from './openenv/routes.js';
import { Sockets } from './openenv/sockets.js';
import { orsRoutes } from './ors/routes.js';
import { playing } from './play.js';
import { clientOf, pathOf } from './prefixes.js';
import { openReading } from './reading.js';
import { queryOf, type ServerEnv } from './request.js';
import { harborRoutes } from './rollouts/harbor-routes.js';
import { rolloutRoutes } from './rollouts/routes.js';
import { restRoutes } from './rest/routes.js';
import { refuseUnstorable } from './storable-input.js';
import { taskRoutes } from './task-api.js';
import { mayPlay } from './token.js';

const MOST_BODY_BYTES = 100 * 1024 * 1024;

export interface EnvServer {
  /** Also answers without a port. */
  app: Hono<ServerEnv>;
  listen(path: string): Promise<void>;
  close(): Promise<void>;
}

/** All protocols. Episodes are rows and workflows, so the server may die at any moment. */
export function createEnvServer(context: ServerContext): EnvServer {
  const play = playing(context);
  const reading = openReading(play);
  const sockets = new Sockets(context, play, reading);
  const app = new Hono<ServerEnv>({ getPath: pathOf });
  app.onError(sendError);
  app.notFound((c) => {
    throw new BenchError('not_found', `no route ${c.req.method} ${c.req.path}`, {
      remedy: 'GET /health says that the server is up; docs/guides/training.md lists the routes.',
    });
  });
  app.get('/health', (c) => json(c, { status: 'healthy' }));
  refuseStrangers(app, context.token);
  for (const routes of [
    restRoutes(context, play),
    metricsRoutes(context),
    // Before routes with any environment's name.
    harborRoutes(context),
    taskRoutes(context),
    openEnvRoutes(context, play, { reading, sockets }),
    rolloutRoutes(context),
    orsRoutes(context, play),
    nemoRoutes(play),
    mcpRoutes(context, play),
  ])
    app.route('/', routes);
  // Requests may be slow: no timeout here. HTTP/1.0 names no host.
  const options = { fetch: app.fetch, hostname: 'bench', serverOptions: { requestTimeout: 0 } };
  const server = createAdaptorServer(options) as Server;
  sockets.listen(server);
  return {
    app,
    listen: (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject).listen(path, () => resolve());
      }),
    async close() {
      sockets.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Refuses requests without the token, too large, or with names that cannot be stored. */
function refuseStrangers(app: Hono<ServerEnv>, token: string | null): void {
  app.use(async (c, next) => {
    if (!mayPlay(clientOf(c).token, token))
      throw new BenchError('usage', 'the token is missing or wrong', {
        code: 'token.invalid',
        remedy: 'Send `Authorization: Bearer <token>`.',
      });
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: MOST_BODY_BYTES,
      onError: () => {
        throw new HTTPException(413, { message: `a request has at most ${MOST_BODY_BYTES} bytes` });
      },
    }),
  );
  app.use(async (c, next) => {
    const { task, session } = clientOf(c);
    refuseUnstorable({ path: c.req.path, query: queryOf(c), prefix: [task, session] });
    await next();
  });
}
