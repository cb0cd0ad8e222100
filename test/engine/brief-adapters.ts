import type { TestContext } from 'vitest';
import { LONG } from '../setup/long.js';

/** Adapters that start the same program as docker does, only otherwise. */
const BRIEFLY = ['podman', 'docker (remote)', 'local where namespaces are forbidden'];

/**
 * Adapters run only `names` of tests, those that depend on the place; the long suite runs all.
 * Call it before each test.
 */
export const skipWhatIsTheProgramsOwn =
  (adapter: string, names: RegExp, briefly: readonly string[] = BRIEFLY) =>
  ({ task, skip }: TestContext): void =>
    skip(briefly.includes(adapter) && !LONG && !names.test(task.name));

/**
 * The dialogue of referees and players (init.py, referee, player) is the same everywhere: it is
 * played in full where an evaluation costs least.
 */
export const FULL_ON_LOCAL = [...BRIEFLY, 'docker'];
