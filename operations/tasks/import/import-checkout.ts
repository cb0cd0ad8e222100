import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { BenchSettings } from '../../settings.js';
import { type ImportOptions, importTasks, makeConfigs } from './import-tasks.js';
import type { ImportedTask } from './import-tasks.js';

export interface CheckoutRequest extends Omit<ImportOptions, 'assetsRoot' | 'into'> {
  /** Configs folder that takes the tasks; begins as a copy of the bundled one. Left out: the one that is used. */
  into?: string | undefined;
}

/** Makes task folders of the tasks of an MLGym checkout, in a configs folder of the user's own. */
export async function importCheckout(
  { settings }: { settings: BenchSettings },
  checkout: string,
  request: CheckoutRequest,
): Promise<{ into: string; tasks: ImportedTask[] }> {
  const { assetsRoot } = settings;
  const bundled = join(assetsRoot, 'configs');
  const into = request.into ?? settings.configsDir;
  if (into === bundled)
    throw new BenchError('usage', `${bundled} comes with bench: nothing is imported into it`, {
      remedy:
        'Name a folder of your own: if it does not exist, it begins as a copy of that one. Then set BENCH_CONFIGS to it.',
      fields: { into: '<folder>' },
    });
  if (!existsSync(checkout))
    throw new BenchError('usage', `${checkout}: there is no such folder`, {
      code: 'file.not_found',
      remedy: 'Name the folder that holds configs/ and data/ of MLGym.',
    });
  if (!request.dryRun) makeConfigs(into, bundled);
  return { into, tasks: await importTasks(checkout, { ...request, assetsRoot, into }) };
}
