import { type ModelConfig, modelConfigSchema } from '../domain/model/config.js';
import type { ValidatedFile } from '../domain/views/catalog.js';
import { type ConfigEntry, configEntries, type ConfigFolders } from './config-entries.js';
import { ConfigError } from './config-error.js';
import { tryLoad } from './load-entry.js';
import { readYaml, yamlContent } from './yaml-file.js';

export interface LoadedModel {
  name: string;
  config: ModelConfig;
}

type PlacedModel = LoadedModel & { entry: ConfigEntry };

export interface ModelConfigs {
  /** Sorted by name, without aliases that an earlier folder gives to another model. */
  models: PlacedModel[];
  broken: ValidatedFile[];
  /** Every name and alias: its model, or the broken file that claims it. */
  named: Map<string, PlacedModel | ValidatedFile>;
}

export function loadModelFile(file: string, name: string): LoadedModel {
  return { name, config: readYaml(file, modelConfigSchema).value };
}

/**
 * A name or alias belongs to the first folder that has it; in one folder names precede aliases, and
 * the second file with an alias is broken. A broken file disables only itself and its names.
 */
export function listModelConfigs(folders: ConfigFolders): ModelConfigs {
  const result: ModelConfigs = { models: [], broken: [], named: new Map() };
  const entries = configEntries(folders, 'models');
  for (const folder of folders) {
    const own = entries.filter((entry) => entry.folder === folder);
    addFolder(own, result);
  }
  result.models.sort((a, b) => (a.name < b.name ? -1 : 1));
  return result;
}

function addFolder(entries: readonly ConfigEntry[], { models, broken, named }: ModelConfigs): void {
  const above = new Set(named.keys());
  const owners = new Map(entries.map(({ name, file }) => [name, file]));
  for (const entry of entries.filter(({ name }) => !above.has(name))) {
    const claims = (alias: string): boolean => !above.has(alias) && !owners.has(alias);
    const { value: model, broken: checked } = tryLoad(entry.file, 'model', (): PlacedModel => {
      const { value: config, problem } = readYaml(entry.file, modelConfigSchema);
      const clashes = config.aliases.flatMap((alias, index) =>
        above.has(alias) || claims(alias)
          ? []
          : [problem(['aliases', index], `the name ${alias} is already taken by ${owners.get(alias)}`)],
      );
      if (clashes.length > 0) throw new ConfigError(clashes);
      return { name: entry.name, config: { ...config, aliases: config.aliases.filter(claims) }, entry };
    });
    if (model === null) broken.push(checked);
    else models.push(model);
    const aliases = model === null ? aliasesIn(entry.file).filter(claims) : model.config.aliases;
    for (const name of [entry.name, ...aliases]) {
      named.set(name, model ?? checked);
      owners.set(name, entry.file);
    }
  }
}

/** As far as the broken file can be read: they must not come to mean another model. */
function aliasesIn(file: string): string[] {
  const content = yamlContent(file) as { aliases?: unknown } | null;
  const aliases = content?.aliases;
  return Array.isArray(aliases) ? aliases.filter((alias): alias is string => typeof alias === 'string') : [];
}
