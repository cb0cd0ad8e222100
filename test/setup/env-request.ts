import type { Hono } from 'hono';
import type { ServerEnv } from '../../envs/request.js';

export interface EnvRequest {
  method?: string;
  url: string;
  payload?: object | string;
  headers?: Record<string, string>;
}

/** Calls a training server's routes without a port. */
export function send(
  app: Hono<ServerEnv>,
  { method = 'GET', url, payload, headers = {} }: EnvRequest,
): Promise<Response> {
  const type = payload === undefined ? {} : { 'content-type': 'application/json' };
  const body = typeof payload === 'object' ? JSON.stringify(payload) : payload;
  return Promise.resolve(
    app.request(url, { method, headers: { ...type, ...headers }, ...(body !== undefined && { body }) }),
  );
}
