import type { TestContext } from 'vitest';
import { LONG } from '../setup/long.js';

/** Adapters that start the same program as docker does, only otherwise. */
const BRIEFLY = ['podman', 'docker (remote)', 'local where namespaces are forbidden'];

/**
 * Of a program that is the same everywhere, these adapters see what it takes from where it runs: `names` of tests; the long suite
 * runs all. To be called before each test.
 */
export const skipWhatIsTheProgramsOwn =
  (adapter: string, names: RegExp, briefly: readonly string[] = BRIEFLY) =>
  ({ task, skip }: TestContext): void =>
    skip(briefly.includes(adapter) && !LONG && !names.test(task.name));

/**
 * What referees and players say to each other is in the same files everywhere (init.py, referee, player): it is played in full
 * where an evaluation costs least.
 */
export const FULL_ON_LOCAL = [...BRIEFLY, 'docker'];
