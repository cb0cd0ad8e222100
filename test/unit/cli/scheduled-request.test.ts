import { expect, it } from 'vitest';
import { scheduledRequest } from '../../../cli/scheduled-request.js';
import { createOutput } from '../../../cli/output.js';
import { scheduledBatchName, scheduleName } from '../../../domain/requests/schedule.js';

const silent = { write: () => undefined };
const output = createOutput(false, {}, silent, silent);
const read = (...words: string[]) => scheduledRequest({ output }, words);

it('is read as by bench submit', () => {
  expect(read('submit', '--models', 'a,b', '--tasks', 't', '--attempts', '6')).toMatchObject({
    models: ['a', 'b'],
    tasks: ['t'],
    attempts: 6,
    agent: 'default',
  });
});

it.each([
  [[], 'the command to schedule is missing'],
  [['watch'], 'only `submit` is scheduled'],
  [['submit', '--tasks', 't'], '--models is missing'],
  [['submit', '--modls', 'a'], "unknown option '--modls'"],
  [['submit', '--models', 'a', '--tasks', 't', 'x'], "unexpected argument 'x'"],
  [['submit', '--models', 'a', '--tasks', 't', '--into', 'b'], 'one of its own'],
])('refuses %j', (words, message) => {
  expect(() => read(...words)).toThrow(message);
});

it('names batches after their time', () => {
  expect(scheduledBatchName('nightly', '2026-01-31T02:00:00.000Z')).toBe('nightly-20260131T020000Z');
  expect(['nightly', 'b-1', 'a b', 'x'.repeat(65)].map((name) => scheduleName.safeParse(name).success)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
