import type { TestContext } from 'vitest';
import { LONG } from '../setup/long.js';

/** Adapters that start the same program as another one does, only otherwise. */
const BRIEFLY = ['podman', 'docker (remote)', 'local where namespaces are forbidden'];

/**
 * Of a program that is the same everywhere, these adapters see what it takes from where it runs: `names` of tests;
 * The long suite runs all. To be called before each test.
 */
export const skipWhatIsTheProgramsOwn =
  (adapter: string, names: RegExp) =>
  ({ task, skip }: TestContext): void =>
    skip(BRIEFLY.includes(adapter) && !LONG && !names.test(task.name));
