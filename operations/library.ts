import type { Bench } from './bench.js';
import { type BenchHooks, openBench as openSettings } from './open-bench.js';
import { findAssetsRoot, readSettings } from './settings.js';

export interface OpenOptions extends BenchHooks {
  /** Where everything is kept; default: `BENCH_HOME` of `env`, else `~/.bench`. */
  home?: string;
  /** Settings and providers' keys; default: those of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.env` counts, and that relative paths start from; default: the working directory. */
  cwd?: string;
}

/**
 * Opens a home. Services start when a verb needs them, and keep running after `close`, as after any command, until `down`.
 * Throws BenchError (usage) that names a wrong setting.
 */
export function openBench({ home, env = process.env, cwd = process.cwd(), ...hooks }: OpenOptions = {}): Bench {
  const environment = { ...env, ...(home !== undefined && { BENCH_HOME: home }) };
  return openSettings(readSettings(environment, cwd, findAssetsRoot()), hooks);
}
