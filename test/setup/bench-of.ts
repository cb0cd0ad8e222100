import type { Bench } from '../../operations/bench.js';
import { openBench } from '../../operations/open-bench.js';
import { findAssetsRoot, readSettings } from '../../operations/settings.js';
import type { BenchHome } from './bench-home.js';

/** The library over a test's home, in the process of the test. Close it before the home is removed. */
export const benchOf = (home: BenchHome): Bench =>
  openBench(readSettings({ ...process.env, ...home.env }, home.dir, findAssetsRoot()));
