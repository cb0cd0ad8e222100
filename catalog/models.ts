import { join } from 'node:path';
import { BenchError } from '../domain/errors.js';
import { fallbackOf, type ModelRef } from '../domain/model/model.js';
import type { ModelConfig, ModelPrice } from '../domain/model/config.js';
import { priceAt } from '../domain/model/price.js';
import { EXTERNAL_PROVIDER } from '../domain/run/queues.js';
import {
  parseScriptedPolicy,
  playsOracle,
  type ScriptedPolicy,
  SCRIPTED_DESCRIPTIONS,
  SCRIPTED_NUMBER,
  SCRIPTED_POLICIES,
} from '../domain/model/scripted-policies.js';
import { closest, someOf } from '../domain/text/closest.js';
import type { ValidatedFile } from '../domain/views/catalog.js';
import type { ConfigEntry, ConfigFolders } from './config-entries.js';
import { ConfigError } from './config-error.js';
import { listModelConfigs } from './model-configs.js';
import { loadRecording, REPLAY_PREFIX } from './recordings.js';

export interface ListedModel {
  name: string;
  aliases: string[];
  kind: ModelRef['kind'];
  description: string;
  provider: string;
  /** Null for scripted models, as all below. */
  entry: ConfigEntry | null;
  config: ModelConfig | null;
  /** In force today. */
  price: ModelPrice | null;
}

/** Models with a file, then bench's own; and the broken files. */
export function listModels(folders: ConfigFolders, now: Date): { models: ListedModel[]; broken: ValidatedFile[] } {
  const { models, broken } = listModelConfigs(folders);
  const real = models.map(({ name, config, entry }): ListedModel => ({
    entry,
    name,
    aliases: config.aliases,
    kind: 'real',
    description: config.description,
    provider: config.provider,
    config,
    price: priceAt(config.prices, now),
  }));
  const scripted = SCRIPTED_POLICIES.map((policy): ListedModel => ({
    name: `scripted:${policy}${SCRIPTED_NUMBER[policy] === undefined ? '' : '[:<number>]'}`,
    aliases: [],
    kind: scriptedKind(policy),
    description: SCRIPTED_DESCRIPTIONS[policy],
    provider: 'scripted',
    entry: null,
    config: null,
    price: null,
  }));
  const human: ListedModel = {
    name: HUMAN_MODEL,
    aliases: [],
    kind: 'human',
    description: 'you, on the page of `bench serve`',
    provider: EXTERNAL_PROVIDER,
    entry: null,
    config: null,
    price: null,
  };
  const external: ListedModel = {
    name: EXTERNAL_MODEL,
    aliases: [],
    kind: 'external',
    description: 'a program of yours that answers each turn, such as a trainer',
    provider: EXTERNAL_PROVIDER,
    entry: null,
    config: null,
    price: null,
  };
  const replay: ListedModel = {
    name: `${REPLAY_PREFIX}<file>`,
    aliases: [],
    kind: 'replay',
    description: 'a recorded run, played again: a `.traj`, or the JSON of `bench trajectory <run>`',
    provider: 'replay',
    entry: null,
    config: null,
    price: null,
  };
  return { models: [...real, ...scripted, human, external, replay], broken };
}

/** A player of the task's secret solution does not rank. */
const scriptedKind = (policy: ScriptedPolicy): ModelRef['kind'] => (playsOracle(policy) ? 'oracle' : 'scripted');

const HUMAN_MODEL = 'human';
/** The model that is a program elsewhere. */
const EXTERNAL_MODEL = 'external';

/** A run keeps its fallback's file, as its own. Throws BenchError (usage). */
function withFallback(
  { name, config, entry }: ReturnType<typeof listModelConfigs>['models'][number],
  named: ReturnType<typeof listModelConfigs>['named'],
): ModelConfig {
  const { fallback } = config;
  if (typeof fallback !== 'string') return config;
  const found = named.get(fallback);
  if (found !== undefined && 'problems' in found) throw new ConfigError(found.problems);
  if (found === undefined || found.name === name)
    throw new BenchError(
      'usage',
      `${entry.file}: fallback: ${found === undefined ? `there is no model file ${fallback}` : 'a model cannot be its own fallback'}`,
      { code: 'model.not_found', remedy: 'Name another model that has a file; `bench models` lists them.' },
    );
  const { fallback: _chain, ...own } = found.config;
  return { ...config, fallback: { name: found.name, config: own } };
}

function resolveModel(folders: ConfigFolders, name: string): ModelRef {
  const policy = name.startsWith('scripted:') ? name.slice('scripted:'.length) : null;
  const parsed = policy === null ? null : parseScriptedPolicy(policy);
  if (policy !== null && parsed !== null)
    return { name, kind: scriptedKind(parsed.policy), provider: 'scripted', model: policy };
  if (name.startsWith(REPLAY_PREFIX)) {
    const { recording, hash } = loadRecording(name.slice(REPLAY_PREFIX.length));
    return { name, kind: 'replay', provider: 'replay', model: hash, recording };
  }
  if (name === HUMAN_MODEL) return { name, kind: 'human', provider: EXTERNAL_PROVIDER, model: name };
  if (name === EXTERNAL_MODEL) return { name, kind: 'external', provider: EXTERNAL_PROVIDER, model: name };
  const { models, named } = listModelConfigs(folders);
  const found = named.get(name);
  if (found !== undefined && 'problems' in found) throw new ConfigError(found.problems);
  if (found !== undefined) {
    const config = withFallback(found, named);
    return { name, kind: 'real', provider: config.provider, model: config.model, config };
  }
  const scripted = SCRIPTED_POLICIES.map((one) => `scripted:${one}`);
  const real = models.flatMap((model) => [model.name, ...model.config.aliases]);
  const near =
    closest(name, [...real, ...scripted]) ?? (name.includes(':') ? null : closest(`scripted:${name}`, scripted));
  throw new BenchError('usage', `no model ${JSON.stringify(name)}`, {
    code: 'model.not_found',
    remedy: `${near === null ? '' : `Did you mean ${near}? `}Known: ${someOf([...real, ...scripted])}, ${REPLAY_PREFIX}<file>; \`bench models\` lists all. To add one, write a file under ${join(folders[0] ?? '', 'models')}.`,
  });
}

/** In the order named, all or none. Without a price, runs would look free: refused by default. */
export function resolveModels(
  folders: ConfigFolders,
  names: readonly string[],
  { allowUnpriced = false }: { allowUnpriced?: boolean } = {},
): ModelRef[] {
  const models = names.map((name) => resolveModel(folders, name));
  models.forEach((model, index) => {
    const same = models.slice(0, index).find((other) => other.name === model.name);
    if (same !== undefined)
      throw new BenchError('usage', `model ${model.name} is named twice`, {
        code: 'model.duplicate',
        remedy: 'List it once; for more runs of each pair raise the attempts.',
        fields: { attempts: true },
      });
  });
  const unpriced = models
    .flatMap((model) => [model, fallbackOf(model)])
    .find((model) => model?.config?.prices.length === 0);
  if (unpriced != null && !allowUnpriced)
    throw new BenchError('usage', `model ${unpriced.name} has no price`, {
      code: 'model.price_missing',
      remedy: 'Add `prices` to its file, or allow models without a price: their calls then count as free.',
      fields: { allowUnpriced: true },
    });
  return models;
}
