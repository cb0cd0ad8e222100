import { createHmac } from 'node:crypto';
import { sameToken } from '../domain/same-token.js';

/** Survives restarts of the worker; unguessable without the home's secret. */
export const runToken = (secret: string, runId: string): string =>
  `bench-${createHmac('sha256', secret).update(`gateway ${runId}`).digest('base64url')}`;

/** If several are given, each must match. */
export const isToken = (given: readonly string[], token: string): boolean =>
  given.length > 0 && given.map((one) => sameToken(one, token)).every(Boolean);
