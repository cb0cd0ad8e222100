import type { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { ProviderError } from '../../../domain/model/provider-error.js';
import { asFailure, withPause } from '../../../activities/interceptors/failures.js';
import { BenchError, DatabaseAway, InfrastructureError, RefusedRow, Unrecoverable } from '../../../domain/errors.js';

it.each(['nobody listens there', 'nobody listens there.'])(
  '"%s" is a sentence of its own before its remedy',
  (message) => {
    const failure = asFailure(new BenchError('usage', message, { remedy: 'Correct the address.' }));
    expect(failure).toMatchObject({ message: 'nobody listens there. Correct the address.', nonRetryable: true });
  },
);

it('waits longer with each attempt that fails by itself, and gives up after an hour of them', () => {
  const engine = () => new InfrastructureError('the engine does not answer');
  const pauses = Array.from({ length: 60 }, (_, n) => withPause(engine(), n + 1)) as ApplicationFailure[];
  expect(pauses.slice(0, 9).map(({ nextRetryDelay }): unknown => nextRetryDelay)).toEqual([
    ...[500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
  ]);
  expect(pauses.map(({ nonRetryable }) => nonRetryable)).toEqual([...Array<boolean>(59).fill(false), true]);
  expect(pauses[0]).toMatchObject({ type: 'InfrastructureError', message: 'the engine does not answer' });
});

it('keeps the pause that a provider asked for', () => {
  const limited = new ProviderError('rate_limited', 'openai', 'slow down', { retryAfterMs: 7_000 });
  expect(withPause(limited, 12)).toMatchObject({ nextRetryDelay: 7_000, nonRetryable: false });
});

it('never gives up a run because PostgreSQL is away, and continues soon after', () => {
  const away = new DatabaseAway('Postgres: takeOver failed: ECONNREFUSED');
  expect(withPause(away, 100)).toMatchObject({ nextRetryDelay: 1_000, nonRetryable: false });
});

it('retries nothing that no retry can help', () => {
  expect(withPause(new Unrecoverable('no such image'), 1)).toMatchObject({ nonRetryable: true });
  const refused = new RefusedRow('Postgres: reserveCall failed: SQLSTATE 23514', '23514', 'model_calls_amounts');
  expect(asFailure(refused)).toMatchObject({ nonRetryable: true });
});
