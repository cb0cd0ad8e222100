import { homedir } from 'node:os';
import { join } from 'node:path';
import { findTemporal } from '../../services/index.js';

/** The product's own binary, built if necessary. */
export async function findTemporalForTests(): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const cacheDir = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bench');
  const found = await findTemporal({ env, cacheDir, onProgress: (line) => process.stderr.write(`${line}\n`) });
  return found.path;
}
