import { expect, it } from 'vitest';
import { asFailure } from '../../../activities/interceptors/failures.js';
import { BenchError } from '../../../domain/errors.js';

it.each(['nobody listens there', 'nobody listens there.'])(
  '"%s" is a sentence of its own before its remedy',
  (message) => {
    const failure = asFailure(new BenchError('usage', message, { remedy: 'Correct the address.' }));
    expect(failure).toMatchObject({ message: 'nobody listens there. Correct the address.', nonRetryable: true });
  },
);
