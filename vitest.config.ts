import { defineConfig } from 'vitest/config';
import LongestFirst from './test/setup/longest-first.js';

/** Bounds are for a machine several times slower than a quiet one: a wrong answer fails at once, whatever they are. */
const real = { environment: 'node' as const, pool: 'forks' as const, testTimeout: 900_000, hookTimeout: 900_000 };

/** unit: milliseconds, no servers. integration, chaos, integrity: real servers and engines. */
export default defineConfig({
  test: {
    // The last line of a run is `N passed, N failed`.
    reporters: ['default', './test/setup/summary-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      // Milliseconds each; the bound is for a machine that is busy with other things.
      {
        test: {
          name: 'unit',
          environment: 'node',
          // Half of the time went into loading the same modules for each file; hardly one of them has a state.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          include: ['test/unit/**/*.test.ts', 'test/replay/**/*.test.ts'],
        },
      },
      ...['integration', 'chaos', 'integrity'].map((name) => ({
        test: {
          name,
          ...real,
          sequence: { groupOrder: 1 },
          include:
            name === 'integration'
              ? ['test/integration/**/*.test.ts', 'test/contracts/**/*.test.ts']
              : [`test/${name}/**/*.test.ts`],
          // They wait half of the time: three files at a time, each with homes, databases and containers of its own.
          maxWorkers: 3,
          globalSetup: ['test/setup/global.ts'],
        },
      })),
    ],
  },
});
