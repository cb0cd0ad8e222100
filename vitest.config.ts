import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LONG, LONG_FILES } from './test/setup/long.js';
import LongestFirst from './test/setup/longest-first.js';

/**
 * A folder of test/ whose files start what they need. A wrong answer fails at once; the timeouts
 * only end a hang, even on a machine many times slower, since three files share two cores in CI.
 */
const project = (name: string, more: object = {}) => ({
  test: {
    name,
    environment: 'node' as const,
    pool: 'forks' as const,
    // Half of the time was loading the same modules for each file; few of them have state.
    isolate: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    // More of them take longer: what tests start costs CPU time while it waits.
    maxWorkers: availableParallelism() + 1,
    include: [`test/${name}/**/*.test.ts`],
    exclude: LONG ? [] : Object.keys(LONG_FILES),
    ...more,
  },
});
/** A set-up prepares in the background; each file waits for it. */
const setup = (name: string, ...waits: string[]) => ({
  globalSetup: [`test/setup/projects/${name}.ts`],
  setupFiles: waits.map((what) => `test/setup/waits/${what}.ts`),
});
const home = setup('home', 'temporal', 'images');

/** A project is named after what its tests need; see test/README.md. */
export default defineConfig({
  test: {
    // Otherwise each project would transform the same modules again.
    experimental: { fsModuleCache: true },
    // The last line of a run is `N passed, N failed`.
    reporters: ['default', './test/setup/summary-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('checks', setup('python', 'python-tools')),
      project('unit'),
      project('python', setup('python')),
      project('sql', setup('sql', 'declared-rows')),
      project('browser', setup('browser')),
      // Temporal's SDK has one runtime per process.
      project('temporal', { ...setup('temporal', 'temporal'), isolate: true }),
      project('servers'),
      project('engine', setup('engine', 'images')),
      project('home', home),
      project('chaos', home),
      project('integrity', home),
    ],
  },
});
