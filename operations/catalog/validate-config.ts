import { validateFolders, validatePath } from '../../catalog/index.js';
import type { BenchSettings } from '../settings.js';
import type { ValidatedFile } from '../../domain/views/catalog.js';

/**
 * Checks task folders, YAML files or whole folders; without a path, all that this home would use.
 */
export const validateConfig = (
  { settings }: { settings: Pick<BenchSettings, 'configFolders'> },
  paths: readonly string[],
): ValidatedFile[] =>
  paths.length === 0
    ? validateFolders(settings.configFolders)
    : paths.flatMap((path) => validatePath(path, settings.configFolders));
