import { BenchError } from '../../../domain/errors.js';
import type { MlgymTask } from '../../../domain/mlgym/tasks.js';
import type { Bench } from '../../bench.js';
import { importMlgym } from './import-mlgym.js';
import { type ImportSummary, importSummary } from './import-summary.js';
import { findRunDirectories } from './run-directories.js';
import type { DirectoryResult } from '../../../domain/views/imports.js';

export interface DirectoriesRequest {
  /** The batch that takes the runs; made if there is none of this name. */
  batch: string;
  /** What ranks tasks beyond MLGym-Bench. */
  tasks: Record<string, MlgymTask>;
  /** Read and check everything, and store nothing. */
  dryRun: boolean;
}

export interface DirectoriesProgress {
  signal: AbortSignal;
  /** How many there are, before the first is read. */
  onFound: (directories: number) => void;
  onDirectory: (done: DirectoryResult, number: number) => void;
}

/** Imports run directories of MLGym: those named, and those in folders that are named. Importing again changes nothing. */
export async function importRunDirectories(
  bench: Bench,
  paths: string[],
  { batch, tasks, dryRun }: DirectoriesRequest,
  { signal, onFound, onDirectory }: DirectoriesProgress,
): Promise<ImportSummary> {
  const directories = await findRunDirectories(paths);
  if (directories.length === 0)
    throw new BenchError('usage', `no run directory of MLGym in ${paths.join(', ')}`, {
      code: 'import.unreadable',
      remedy: 'One holds a .traj or a results.json, and is named <model>__<task>__<settings>_run_<number>.',
    });
  const database = await bench.database();
  onFound(directories.length);
  const results = await importMlgym(database, directories, { batch, tasks, dryRun, signal, onDirectory });
  return importSummary(results, { batch, dryRun, directories: directories.length });
}
