import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { yamlNames } from './config-names.js';

export interface ModelVariables {
  /** They hold keys. */
  keys: string[];
  /** They say where providers answer. */
  addresses: string[];
}

/**
 * The variables that the model files name, whatever else may be wrong with them: what is to be watched and kept out of logs must not
 * hang on every file being right.
 */
export function modelVariables(configsDir: string): ModelVariables {
  const folder = join(configsDir, 'models');
  const found = { keys: new Set<string>(), addresses: new Set<string>() };
  for (const name of yamlNames(folder)) {
    for (const ending of ['yaml', 'yml']) {
      const model = contentOf(join(folder, `${name}.${ending}`));
      if (typeof model['apiKeyVariable'] === 'string') found.keys.add(model['apiKeyVariable']);
      if (typeof model['baseUrlVariable'] === 'string') found.addresses.add(model['baseUrlVariable']);
    }
  }
  return { keys: [...found.keys].sort(), addresses: [...found.addresses].sort() };
}

function contentOf(file: string): Record<string, unknown> {
  try {
    const content: unknown = parseDocument(readFileSync(file, 'utf8')).toJS({ maxAliasCount: 100 });
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
