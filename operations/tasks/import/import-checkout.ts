import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { ownConfigs } from '../../catalog/config-place.js';
import type { BenchSettings } from '../../settings.js';
import { type ImportOptions, importTasks, makeConfigs } from './import-tasks.js';
import type { ImportedTask } from './import-tasks.js';

export interface CheckoutRequest extends Omit<ImportOptions, 'assetsRoot' | 'into'> {
  /** Configs folder that takes the tasks; one that is not used yet begins as a copy of the bundled one. Left out: the user's own. */
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
  const into = request.into ?? ownConfigs(settings);
  if (into === bundled)
    throw new BenchError('usage', `${bundled} comes with bench; tasks cannot be imported into it`, {
      remedy: `Name no folder, for ${settings.layout.configs}; or one of your own, which begins as a copy of that one if it does not exist, and set BENCH_CONFIGS to it.`,
    });
  if (!existsSync(checkout))
    throw new BenchError('usage', `${checkout}: no such folder`, {
      code: 'file.not_found',
      remedy: 'Give the folder that holds configs/ and data/ of MLGym.',
    });
  if (!request.dryRun && into !== settings.layout.configs) makeConfigs(into, bundled);
  return { into, tasks: await importTasks(checkout, { ...request, assetsRoot, into }) };
}
