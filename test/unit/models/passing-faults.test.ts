import { expect, it } from 'vitest';
import { ProviderError, type ProviderErrorKind } from '../../../domain/model/provider-error.js';
import { perhapsPassing } from '../../../models/call-model.js';

it.each<[ProviderErrorKind, number, number, number, boolean]>([
  ['auth', 2, 0, 1, true],
  ['auth', 1, 1, 1, true],
  ['unknown_model', 9, 0, 2, true],
  ['auth', 9, 0, 3, false],
  ['auth', 1, 0, 1, false],
  ['permission', 9, 0, 1, false],
  ['quota', 9, 0, 1, false],
  ['bad_request', 9, 0, 1, false],
  ['server_error', 1, 0, 9, true],
])('%s in step %d, requery %d, attempt %d is retried: %s', (kind, step, requery, attempt, retried) => {
  const key = { runId: 'r', step, try: requery };
  const fault = perhapsPassing(new ProviderError(kind, 'openai', 'no', { status: 400 }), key, attempt);
  expect(fault.retryable).toBe(retried);
  expect(fault.with({ retryAfterMs: 5 })).toMatchObject({ kind, status: 400, retryable: retried });
});
