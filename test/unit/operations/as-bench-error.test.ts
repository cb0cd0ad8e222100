import { describe, expect, it } from 'vitest';
import { asBenchError, isOutage } from '../../../operations/as-bench-error.js';
import { BenchError } from '../../../domain/errors.js';

const coded = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code });

describe('errors for people', () => {
  it.each([
    coded('ECONNREFUSED'),
    coded('57P01'),
    coded('08006'),
    new Error('query failed', { cause: coded('ECONNRESET') }),
    new AggregateError([coded('ECONNREFUSED')], ''),
    new Error('Connection terminated unexpectedly'),
    new Error('14 UNAVAILABLE: no connection'),
    new BenchError('services', 'the database does not answer'),
  ])('%s is an outage that passes', (error) => {
    expect(isOutage(error)).toBe(true);
    expect(asBenchError(error)).toMatchObject({ type: 'services', exitCode: 1 });
  });

  it.each([coded('42P01'), new Error('unexpected'), new BenchError('not_found', 'no batch'), 'text', null])(
    '%s is none',
    (error) => {
      expect(isOutage(error)).toBe(false);
    },
  );

  it('say what to do about a disk that is full or must not be written', () => {
    expect(asBenchError(coded('ENOSPC')).remedy).toContain('Free space');
    expect(asBenchError(coded('EROFS')).remedy).toContain('BENCH_HOME');
  });

  it('keep what was thrown as the cause', () => {
    const cause = new Error('unexpected');
    expect(asBenchError(cause)).toMatchObject({ type: 'failed', exitCode: 1, cause });
    expect(asBenchError(undefined).message).toBe('undefined');
  });
});
