import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serve as listen, type ServerType } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { BenchError } from '../../domain/errors.js';
import { bracketed, isLoopback, type OwnSite, ownSite } from '../../domain/home/own-site.js';
import type { PageServerRequest } from '../../domain/requests/page.js';
import { harnessVersion } from '../../operations/harness-version.js';
import type { Bench } from '../../operations/bench.js';
import { readingBench } from '../../operations/home/page/reading-bench.js';
import { pageTokens } from '../../operations/home/page/tokens.js';
import { createApp } from './app.js';
import type { homeRoutes } from '../api/home.js';
import type { Handlers } from './call.js';
import { allHandlers } from './handlers/index.js';
import { watchOutage } from './outage.js';

export interface RunningServer {
  address: string;
  close(): Promise<void>;
}

/** Throws BenchError (usage): others could read along. */
export function refuseOpenServer({ host, port, tlsCert, tlsKey, behindProxy }: PageServerRequest): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new BenchError('usage', 'a certificate needs its key, and a key its certificate', {
      remedy: 'Give both, or neither.',
      fields: { tlsCert: '<file>', tlsKey: '<file>' },
    });
  if (isLoopback(host) || tlsCert !== undefined || behindProxy !== undefined) return;
  throw new BenchError('usage', `${host} can be reached from other machines, and the connection is not encrypted`, {
    remedy: `Listen at 127.0.0.1 and open it from there with \`ssh -L ${port}:127.0.0.1:${port} <this machine>\`; or give a certificate, or the origin of the proxy in front.`,
    fields: { tlsCert: '<file>', tlsKey: '<file>', behindProxy: '<origin>' },
  });
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new BenchError('usage', `${path} cannot be read: ${(cause as Error).message}`, {
      code: 'file.not_found',
      cause,
    });
  }
}

/** Services are those of the bench, started on first use. */
export async function startPageServer(bench: Bench, request: PageServerRequest): Promise<RunningServer> {
  refuseOpenServer(request);
  const { settings } = bench;
  const { host, readOnly, tlsCert, tlsKey, behindProxy } = request;
  const version = harnessVersion(settings.assetsRoot);
  const served = readOnly ? readingBench(bench) : bench;
  const outage = watchOutage(served);
  const { handlers, hub } = allHandlers(served, outage, version, readOnly);
  const own: Handlers<Pick<typeof homeRoutes, 'health' | 'me'>> = {
    health: () =>
      Promise.resolve({
        status: outage.lostSince() === null ? 'ok' : 'services_lost',
        version,
        lostSince: outage.lostSince(),
      }),
    me: ({ who }) => Promise.resolve({ name: who.name, role: who.role, expiresAt: who.expiresAt, readOnly, version }),
  };
  const secure = tlsCert !== undefined && tlsKey !== undefined;
  const scheme = secure ? 'https' : 'http';
  // Known once it listens.
  const site: OwnSite = { hosts: [], origins: [] };
  const app = createApp({
    handlers: { ...handlers, ...own },
    tokens: pageTokens(settings),
    ...site,
    ...{ readOnly, version },
    compressed: !isLoopback(host),
    page: join(settings.assetsRoot, 'dist', 'web', 'client'),
    addressOf: (c) => getConnInfo(c).remote.address ?? 'unknown',
  });
  const server = await new Promise<ServerType>((resolve, reject) => {
    const started = listen(
      {
        fetch: app.fetch,
        hostname: host,
        port: request.port,
        ...(secure && {
          createServer: createSecureServer,
          serverOptions: { cert: readPem(tlsCert), key: readPem(tlsKey), allowHTTP1: true },
        }),
      },
      () => resolve(started),
    );
    started.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE' || cause.code === 'EACCES' || cause.code === 'EADDRNOTAVAIL'
          ? new BenchError('usage', `${host}:${request.port} is not available: ${cause.message}`, {
              remedy: 'Choose another port; 0 takes any that is free.',
              fields: { port: '0' },
              cause,
            })
          : cause,
      ),
    );
  });
  const { port } = server.address() as AddressInfo;
  const { hosts, origins } = ownSite({ host, port }, [scheme]);
  site.hosts.push(...hosts);
  site.origins.push(...origins);
  if (behindProxy !== undefined) {
    site.hosts.push(new URL(behindProxy).host);
    site.origins.unshift(new URL(behindProxy).origin);
  }
  return {
    address: behindProxy ?? `${scheme}://${bracketed(host)}:${port}`,
    async close() {
      hub.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
