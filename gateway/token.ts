import { createHmac } from 'node:crypto';
import { sameToken } from '../domain/same-token.js';

/** A run's token: the same after a restart of the worker, and unknown without the home's secret. */
export const runToken = (secret: string, runId: string): string =>
  `bench-${createHmac('sha256', secret).update(`gateway ${runId}`).digest('base64url')}`;

/** If several come, each must be it. */
export const isToken = (given: readonly string[], token: string): boolean =>
  given.length > 0 && given.map((one) => sameToken(one, token)).every(Boolean);
