import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { type ConfigFolders, isYaml } from './config-entries.js';

export interface ModelVariables {
  keys: string[];
  addresses: string[];
}

/** Also those of broken model files, since watching and redacting must cover all. */
export function modelVariables(folders: ConfigFolders): ModelVariables {
  const found = { keys: new Set<string>(), addresses: new Set<string>() };
  for (const folder of folders.map((one) => join(one, 'models')))
    for (const file of filesIn(folder).filter(isYaml)) {
      const text = textOf(join(folder, file));
      const model = plainNames(text) ?? contentOf(text);
      if (typeof model['apiKeyVariable'] === 'string') found.keys.add(model['apiKeyVariable']);
      if (typeof model['baseUrlVariable'] === 'string') found.addresses.add(model['baseUrlVariable']);
    }
  return { keys: [...found.keys].sort(), addresses: [...found.addresses].sort() };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The usual form. Names have an underscore, since YAML reads `NULL` and `TRUE` otherwise. */
const PLAIN = /^(apiKeyVariable|baseUrlVariable): ([A-Z][A-Z0-9]*_[A-Z0-9_]*)$/gm;

/** Null: parse the file. Every command needs the variables, and parsing would dominate its time. */
function plainNames(text: string): Record<string, string> | null {
  const plain = [...text.matchAll(PLAIN)].map(([, key = '', name = '']): [string, string] => [key, name]);
  const mentioned = text.match(/apiKeyVariable|baseUrlVariable/g)?.length ?? 0;
  return plain.length === mentioned ? Object.fromEntries(plain) : null;
}

function contentOf(text: string): Record<string, unknown> {
  try {
    const content: unknown = parseDocument(text).toJS({ maxAliasCount: 100 });
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
