import { defineConfig } from 'vitest/config';
import { LONG, LONG_FILES } from './test/setup/long.js';
import LongestFirst from './test/setup/longest-first.js';

/**
 * A folder of test/ whose files start what they need. A wrong answer fails at once; the bounds only end a hang, on a machine many times
 * slower than a quiet one. Files wait for more than half of the time: five of them run side by side on the two cores of CI.
 */
const project = (name: string, more: object = {}) => ({
  test: {
    name,
    environment: 'node' as const,
    pool: 'forks' as const,
    // Half of the time went into loading the same modules for each file; hardly one of them has a state.
    isolate: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    maxWorkers: 5,
    include: [`test/${name}/**/*.test.ts`],
    exclude: LONG ? [] : Object.keys(LONG_FILES),
    ...more,
  },
});
/** What a set-up prepares beside the tests of other projects is waited for before each file. */
const setup = (name: string, ...waits: string[]) => ({
  globalSetup: [`test/setup/projects/${name}.ts`],
  setupFiles: waits.map((what) => `test/setup/waits/${what}.ts`),
});
const home = setup('home', 'temporal', 'images');

/** A project is named after what its tests need; test/README.md tells which to take. */
export default defineConfig({
  test: {
    // Each project would transform the same modules anew.
    experimental: { fsModuleCache: true },
    // The last line of a run is `N passed, N failed`.
    reporters: ['default', './test/setup/summary-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('checks', setup('python', 'python-tools')),
      project('unit'),
      project('python', setup('python')),
      project('sql', setup('sql')),
      project('browser', setup('browser')),
      // Temporal's SDK has one runtime a process.
      project('temporal', { ...setup('temporal', 'temporal'), isolate: true }),
      project('servers'),
      project('engine', setup('engine', 'images')),
      project('home', home),
      project('chaos', home),
      project('integrity', home),
    ],
  },
});
