import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { DirectoriesRequest } from '../../../domain/requests/import.js';
import type { RunImports } from '../../../domain/ports/imports.js';
import { importMlgym } from './import-mlgym.js';
import { importSummary } from './import-summary.js';
import { findRunDirectories } from './run-directories.js';
import type { DirectoryResult, ImportDocument } from '../../../domain/views/imports.js';

/** The price list for comparing MLGym runs. */
const MLGYM_PRICES = 'mlgym';

export interface ImportDirectoriesPorts {
  imports: Pick<RunImports, 'importRun' | 'setPrices'>;
  databaseUrl: () => Promise<string>;
}

export interface DirectoriesProgress {
  signal: AbortSignal;
  /** Their number, before the first is read. */
  onFound: (directories: number) => void;
  onDirectory: (done: DirectoryResult, number: number) => void;
}

/** Imports named MLGym run directories, and those in named folders. Idempotent. */
export async function importRunDirectories(
  { imports, databaseUrl }: ImportDirectoriesPorts,
  paths: string[],
  { batch, taskMetric = {}, prices = {}, dryRun }: DirectoriesRequest,
  { signal, onFound, onDirectory }: DirectoriesProgress,
): Promise<ImportDocument> {
  const directories = await findRunDirectories(paths);
  if (directories.length === 0)
    throw new BenchError('usage', `no run directory of MLGym in ${paths.join(', ')}`, {
      code: 'import.unreadable',
      remedy:
        'A run directory contains a .traj or a results.json, and is named <model>__<task>__<settings>_run_<number>.' +
        (paths.some((path) => existsSync(join(path, 'configs', 'tasks')))
          ? ' This is a checkout: `bench tasks import mlgym` imports its tasks.'
          : ''),
    });
  // An unavailable database fails here, instead of once per directory.
  await databaseUrl();
  if (!dryRun) await imports.setPrices(MLGYM_PRICES, prices);
  onFound(directories.length);
  const results = await importMlgym(imports, directories, {
    batch,
    tasks: taskMetric,
    dryRun,
    signal,
    onDirectory,
  });
  return importSummary(results, { batch, dryRun, directories: directories.length });
}
