import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelConfig, modelConfigSchema } from '../domain/model-config.js';
import { ConfigError } from './config-error.js';
import { yamlNames } from './config-names.js';
import { readYaml } from './yaml-file.js';

export interface LoadedModel {
  /** The file's name: the first alias. */
  name: string;
  config: ModelConfig;
}

/** Load and check one model file. */
export function loadModelFile(file: string, name: string): LoadedModel {
  return { name, config: readYaml(file, modelConfigSchema).value };
}

/** Every model of the configuration, sorted by name. Throws for the first broken file, and for a name that two files claim. */
export function listModelConfigs(configsDir: string): LoadedModel[] {
  const folder = join(configsDir, 'models');
  const owners = new Map<string, string>();
  return yamlNames(folder).map((name) => {
    const yaml = join(folder, `${name}.yaml`);
    const file = existsSync(yaml) ? yaml : join(folder, `${name}.yml`);
    const model = loadModelFile(file, name);
    for (const alias of [name, ...model.config.aliases]) {
      const owner = owners.get(alias);
      if (owner !== undefined)
        throw new ConfigError([
          { file, line: null, key: 'aliases', message: `the name ${alias} belongs already to ${owner}` },
        ]);
      owners.set(alias, file);
    }
    return model;
  });
}
