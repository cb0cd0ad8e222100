import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { ownConfigs } from '../../catalog/config-place.js';
import { makeConfigs } from './import-tasks.js';

export type FillSettings = Parameters<typeof ownConfigs>[0];

/** The configs folder of imported tasks; a new one begins as a copy of the bundled one. */
export function configsToFill(
  settings: FillSettings,
  { into: named, dryRun }: { into?: string | undefined; dryRun: boolean },
): string {
  const bundled = join(settings.assetsRoot, 'configs');
  const into = named ?? ownConfigs(settings);
  if (into === bundled)
    throw new BenchError('usage', `${bundled} comes with bench; tasks cannot be imported into it`, {
      remedy: `Name no folder, for ${settings.layout.configs}; or one of your own, which begins as a copy of that one if it does not exist, and set BENCH_CONFIGS to it.`,
    });
  if (!dryRun && into !== settings.layout.configs) makeConfigs(into, bundled);
  return into;
}
