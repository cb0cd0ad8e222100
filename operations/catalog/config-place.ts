import { join } from 'node:path';
import type { ConfigEntry } from '../../catalog/index.js';
import type { ConfigPlace } from '../../domain/views/catalog.js';
import type { BenchSettings } from '../settings.js';

export type PlaceSettings = Pick<BenchSettings, 'assetsRoot' | 'configFolders' | 'layout'>;

const bundled = ({ assetsRoot }: Pick<BenchSettings, 'assetsRoot'>): string => join(assetsRoot, 'configs');

/** Null: the entry has no file. */
export function configPlace(settings: PlaceSettings, entry: ConfigEntry | null): ConfigPlace {
  if (entry === null) return { origin: null, file: null, replaces: null };
  const { file, folder, replaces } = entry;
  const origin =
    folder === settings.layout.configs ? 'home' : folder === bundled(settings) ? 'bundled' : 'BENCH_CONFIGS';
  return { origin, file, replaces };
}

/**
 * The user's own folder, which a new version keeps: `$BENCH_CONFIGS`, else `$BENCH_HOME/configs`.
 */
export function ownConfigs(settings: PlaceSettings): string {
  const named = settings.configFolders.find((folder) => ![settings.layout.configs, bundled(settings)].includes(folder));
  return named ?? settings.layout.configs;
}
