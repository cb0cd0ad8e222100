import type { Bench } from '../../operations/bench.js';
import { openBench } from '../../operations/open-bench.js';
import { findAssetsRoot, readSettings } from '../../operations/settings.js';
import type { BenchHome } from './bench-home.js';

/** The library over a test's home, in this process. Close it before removing the home. */
export const benchOf = (home: BenchHome): Bench =>
  openBench(readSettings({ ...process.env, ...home.env }, home.dir, findAssetsRoot()));
