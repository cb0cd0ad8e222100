import { BenchError } from '../domain/errors.js';
import type { ModelRef } from '../domain/model.js';
import {
  parseScriptedPolicy,
  SCRIPTED_DESCRIPTIONS,
  SCRIPTED_NUMBER,
  SCRIPTED_POLICIES,
} from '../domain/scripted-policies.js';
import { closest } from './closest.js';

export interface ListedModel {
  name: string;
  kind: ModelRef['kind'];
  description: string;
}

/** What `bench models` shows. */
export function listModels(): ListedModel[] {
  return SCRIPTED_POLICIES.map((policy) => ({
    name: `scripted:${policy}${SCRIPTED_NUMBER[policy] === undefined ? '' : '[:<number>]'}`,
    kind: 'scripted',
    description: SCRIPTED_DESCRIPTIONS[policy],
  }));
}

function resolveModel(name: string): ModelRef {
  const available = SCRIPTED_POLICIES.map((policy) => `scripted:${policy}`);
  const policy = name.startsWith('scripted:') ? name.slice('scripted:'.length) : null;
  if (policy !== null && parseScriptedPolicy(policy) !== null) {
    return { name, kind: 'scripted', provider: 'scripted', model: policy };
  }
  const near = closest(policy === null && !name.includes(':') ? `scripted:${name}` : name, available);
  throw new BenchError('usage', `there is no model ${JSON.stringify(name)}`, {
    remedy: `${near === null ? '' : `Did you mean ${near}? `}There are: ${available.join(', ')}.`,
  });
}

/** Models for `--models`, in the order named. Everything is checked before anything is returned. */
export function resolveModels(names: readonly string[]): ModelRef[] {
  const models = names.map(resolveModel);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new BenchError('usage', `model ${twice} is named twice`, {
      remedy: 'Name it once; for more runs of each pair use --attempts.',
    });
  }
  return models;
}
