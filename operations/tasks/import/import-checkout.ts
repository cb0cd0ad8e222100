import { existsSync } from 'node:fs';
import { BenchError } from '../../../domain/errors.js';
import { configsToFill, type FillSettings } from './configs-to-fill.js';
import { type ImportOptions, importTasks } from './import-tasks.js';
import type { ImportedTask } from './import-tasks.js';

export interface CheckoutRequest extends Omit<ImportOptions, 'assetsRoot' | 'into'> {
  /** The configs folder to fill, at first a copy of the bundled one. Default: the user's own. */
  into?: string | undefined;
}

/** Imports an MLGym checkout's tasks into a configs folder of the user. */
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
