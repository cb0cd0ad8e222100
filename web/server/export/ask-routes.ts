import type { ErrorCode } from '../../../domain/error-codes.js';
import { BenchError } from '../../../domain/errors.js';
import type { Token } from '../../../domain/views/page.js';
import { API, ROUTES, type RouteName } from '../../api/routes.js';
import { createApp } from '../app.js';
import { allHandlers } from '../handlers/index.js';
import { watchOutage } from '../outage.js';
import type { PortsOf } from '../../../operations/ports-of.js';

type Values = Readonly<Record<string, unknown>>;

export interface RouteAsker {
  bytes(name: RouteName, params: Values, query?: Values): Promise<Buffer>;
  text(name: RouteName, params: Values, query?: Values): Promise<string>;
  json<T>(name: RouteName, params: Values, query?: Values): Promise<T>;
}

const HOST = 'localhost';
const READER: Token = { name: 'export', role: 'viewer', createdAt: new Date(0).toISOString(), expiresAt: null };

export type RoutePorts = PortsOf<typeof allHandlers | typeof watchOutage>;

export function askRoutes(ports: RoutePorts, version: string): RouteAsker {
  const app = createApp({
    handlers: allHandlers(ports, watchOutage(ports), version).handlers,
    tokens: { find: () => READER },
    hosts: [HOST],
    origins: [],
    readOnly: true,
    compressed: false,
    version,
    page: '',
    // No person waits, so there are no limits.
    limits: { requestsPerSecond: Infinity, requestMs: 600_000, answerBytes: 256 * 1024 * 1024 },
  });
  const ask = async (name: RouteName, params: Values, query: Values = {}): Promise<Response> => {
    const path = ROUTES[name].path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params[key])));
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query))
      for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
        if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean')
          search.append(key, String(one));
    const response = await app.request(`http://${HOST}${API}${path}?${search.toString()}`, {
      headers: { host: HOST, authorization: 'Bearer export' },
    });
    if (response.ok) return response;
    const { error } = (await response.json()) as {
      error: { code: ErrorCode; message: string; remedy: string | null };
    };
    throw new BenchError(response.status === 404 ? 'not_found' : 'failed', error.message, {
      code: error.code,
      ...(error.remedy !== null && { remedy: error.remedy }),
    });
  };
  return {
    bytes: async (...asked) => Buffer.from(await (await ask(...asked)).arrayBuffer()),
    text: async (...asked) => (await ask(...asked)).text(),
    json: async <T>(...asked: Parameters<typeof ask>) => (await (await ask(...asked)).json()) as T,
  };
}
