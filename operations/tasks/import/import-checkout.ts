import { existsSync } from 'node:fs';
import { BenchError } from '../../../domain/errors.js';
import { configsToFill, type FillSettings } from './configs-to-fill.js';
import { type ImportOptions, importTasks } from './import-tasks.js';
import type { ImportedTask } from './import-tasks.js';

export interface CheckoutRequest extends Omit<ImportOptions, 'assetsRoot' | 'into'> {
  /** Configs folder that takes the tasks; one that is not used yet begins as a copy of the bundled one. Left out: the user's own. */
  into?: string | undefined;
}

/** Makes task folders of the tasks of an MLGym checkout, in a configs folder of the user's own. */
export async function importCheckout(
  { settings }: { settings: FillSettings },
  checkout: string,
  request: CheckoutRequest,
): Promise<{ into: string; tasks: ImportedTask[] }> {
  const { assetsRoot } = settings;
  if (!existsSync(checkout))
    throw new BenchError('usage', `${checkout}: no such folder`, {
      code: 'file.not_found',
      remedy: 'Give the folder that contains configs/ and data/ of MLGym.',
    });
  const into = configsToFill(settings, request);
  return { into, tasks: await importTasks(checkout, { ...request, assetsRoot, into }) };
}
