import type { TestContext } from 'vitest';

/** Adapters that start the same program as another one does, only otherwise. */
const BRIEFLY = ['podman', 'docker (remote)', 'local where namespaces are forbidden'];

/**
 * Of a program that is the same everywhere, these adapters see what it takes from where it runs: `names` of tests;
 * BENCH_TEST_ADAPTERS=whole asks for all. To be called before each test.
 */
export const skipWhatIsTheProgramsOwn =
  (adapter: string, names: RegExp) =>
  ({ task, skip }: TestContext): void =>
    skip(BRIEFLY.includes(adapter) && process.env['BENCH_TEST_ADAPTERS'] !== 'whole' && !names.test(task.name));
