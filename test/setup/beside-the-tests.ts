import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

/** Slow on a new machine: builds base images and Temporal's server, runs apt and pip. */
export type Preparation = 'images' | 'temporal' | 'programs' | 'python-tools' | 'declared-rows';

const variableOf = (what: Preparation): string => `BENCH_TEST_PREPARED_${what.toUpperCase().replace('-', '_')}`;

/**
 * Starts a preparation in the background while other projects' tests run; files that need it call
 * `whenPrepared`. The first of several projects starts it. Returns a function that waits for it.
 */
export async function prepareBeside(
  what: Preparation,
  scratch: string,
  work: () => Promise<unknown>,
): Promise<() => Promise<void>> {
  if (process.env[variableOf(what)] !== undefined) return async () => undefined;
  const mark = join(scratch, `${what}-prepared`);
  process.env[variableOf(what)] = mark;
  const done = work()
    .then(() => '', String)
    .then((problem) => writeFileSync(mark, problem))
    // A cancelled run has removed the folder.
    .catch(() => undefined);
  // If it exists already, this is known at once and file order need not change: isBeingPrepared.
  await Promise.race([done, sleep(5_000, undefined, { ref: false })]);
  return () => done;
}

/** In a test's process. Throws the reason of a failure. */
export async function whenPrepared(what: Preparation): Promise<void> {
  const mark = process.env[variableOf(what)];
  if (mark === undefined) return;
  while (!existsSync(mark)) await sleep(100);
  const problem = readFileSync(mark, 'utf8');
  if (problem !== '') throw new Error(`the tests' set-up could not prepare ${what}: ${problem}`);
}

export const isBeingPrepared = (what: Preparation): boolean => {
  const mark = process.env[variableOf(what)];
  return mark !== undefined && !existsSync(mark);
};
