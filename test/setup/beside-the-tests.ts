import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

/** Takes minutes on a new machine: images on a base of their own, Temporal's server, built by Go, and what apt and pip bring. */
export type Preparation = 'images' | 'temporal' | 'programs' | 'python-tools';

const variableOf = (what: Preparation): string => `BENCH_TEST_PREPARED_${what.toUpperCase().replace('-', '_')}`;

/**
 * Begins it, for tests of projects that do without to run meanwhile; files of the others wait for it by `whenPrepared`. Several projects
 * ask for the same: the first begins it. Returns the waiting for its end.
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
    // A run that was cancelled has removed the folder.
    .catch(() => undefined);
  // Where it is there already, this is known in a moment, and the order of files need not heed it: see isBeingPrepared.
  await Promise.race([done, sleep(5_000, undefined, { ref: false })]);
  return () => done;
}

/** In a test's process. Throws with the reason where it failed. */
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
