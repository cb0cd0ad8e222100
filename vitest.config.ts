import { defineConfig } from 'vitest/config';
import { LONG, LONG_FILES } from './test/setup/long.js';
import LongestFirst from './test/setup/longest-first.js';

/** A wrong answer fails at once; these bounds only end a hang, on a machine many times slower than a quiet one. */
const patient = { testTimeout: 900_000, hookTimeout: 900_000 };

/** Milliseconds each: files share a process and its modules. */
const light = (name: string) => ({
  test: {
    name,
    environment: 'node' as const,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    include: [`test/${name}/**/*.test.ts`],
  },
});

/** Beside real servers; `setup` starts or finds those that its tests need, and nothing else. */
const real = (name: string, setup: string, order: number) => ({
  test: {
    name,
    environment: 'node' as const,
    pool: 'forks' as const,
    ...patient,
    sequence: { groupOrder: order },
    include: [`test/${name}/**/*.test.ts`],
    exclude: LONG ? [] : Object.keys(LONG_FILES),
    // They wait half of the time: three files at a time, each with homes, databases and containers of its own.
    maxWorkers: 3,
    globalSetup: [`test/setup/projects/${setup}.ts`],
  },
});

/** A project is a folder of test/, and named after what its tests need; test/README.md tells which to take. */
export default defineConfig({
  test: {
    // The last line of a run is `N passed, N failed`.
    reporters: ['default', './test/setup/summary-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      light('unit'),
      light('python'),
      real('sql', 'sql', 1),
      real('temporal', 'temporal', 1),
      real('engine', 'engine', 2),
      ...['home', 'chaos', 'integrity'].map((name) => real(name, 'home', 2)),
    ],
  },
});
