import { defineConfig } from 'vitest/config';

const real = { environment: 'node' as const, pool: 'forks' as const, testTimeout: 120_000, hookTimeout: 600_000 };

/** unit: milliseconds, no servers. integration, then chaos: real servers and engines, one file at a time. */
export default defineConfig({
  test: {
    // The last line of a run is `N passed, N failed`.
    reporters: ['default', './test/setup/summary-reporter.ts'],
    projects: [
      { test: { name: 'unit', environment: 'node', include: ['test/unit/**/*.test.ts', 'test/replay/**/*.test.ts'] } },
      {
        test: {
          name: 'integration',
          ...real,
          sequence: { groupOrder: 1 },
          include: ['test/integration/**/*.test.ts', 'test/contracts/**/*.test.ts'],
          fileParallelism: false,
          globalSetup: ['test/setup/global.ts'],
        },
      },
      {
        test: {
          name: 'chaos',
          ...real,
          sequence: { groupOrder: 2 },
          include: ['test/chaos/**/*.test.ts'],
          fileParallelism: false,
          globalSetup: ['test/setup/global.ts'],
        },
      },
      {
        test: {
          name: 'integrity',
          ...real,
          sequence: { groupOrder: 3 },
          include: ['test/integrity/**/*.test.ts'],
          fileParallelism: false,
          globalSetup: ['test/setup/global.ts'],
        },
      },
    ],
  },
});
