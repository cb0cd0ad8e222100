import { validateFolders, validatePath } from '../../catalog/index.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';
import type { ValidatedFile } from '../../domain/views/catalog.js';
import { checkReferees } from './check-referees.js';

/**
 * Checks task folders with their referees, YAML files or whole folders; without a path, all that
 * this home would use.
 */
export async function validateConfig(
  ports: { settings: Pick<BenchSettings, 'configFolders' | 'assetsRoot'>; notify: (notice: Notice) => void },
  paths: readonly string[],
): Promise<ValidatedFile[]> {
  const { configFolders } = ports.settings;
  const files =
    paths.length === 0 ? validateFolders(configFolders) : paths.flatMap((path) => validatePath(path, configFolders));
  return checkReferees(ports, files);
}
