import { expect, it, vi } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import { patientFor } from '../../../worker/start-retries.js';

const log = { warn: vi.fn() };
const away = () => new BenchError('services', 'Temporal does not answer');

it('a start waits for servers that are away, and says so', async () => {
  const errors = [away(), new Error('14 UNAVAILABLE')];
  const work = async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'there';
  };
  expect(await patientFor(60_000, log)(work)).toBe('there');
  expect(log.warn.mock.calls.map(([fields]) => fields as unknown)).toEqual([
    { error: 'Temporal does not answer' },
    { error: '14 UNAVAILABLE' },
  ]);
});

it('a refusal ends it, and so does the end of patience', async () => {
  const refused = new BenchError('usage', 'the schema is older');
  await expect(patientFor(60_000, log)(() => Promise.reject(refused))).rejects.toBe(refused);
  await expect(patientFor(0, log)(() => Promise.reject(away()))).rejects.toThrow('does not answer');
});
