import { BenchError } from '../domain/errors.js';
import type { ModelRef } from '../domain/model/model.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface MissingKey {
  variable: string;
  models: string[];
}

const isSet = (env: Env, variable: string): boolean => (env[variable] ?? '').trim() !== '';

/** Keys and addresses that the worker's environment lacks for these models. */
export function missingKeys(models: readonly ModelRef[], env: Env): MissingKey[] {
  const missing = new Map<string, string[]>();
  for (const { name, config } of models) {
    if (config === undefined) continue;
    const needed = [config.apiKeyVariable, config.baseUrl === undefined ? addressOf(config) : undefined];
    for (const variable of needed) {
      if (variable === undefined || isSet(env, variable)) continue;
      missing.set(variable, [...(missing.get(variable) ?? []), name]);
    }
  }
  return [...missing].map(([variable, names]) => ({ variable, models: names }));
}

/** The SDKs know the addresses of openai and anthropic; others must be given. */
const addressOf = (config: NonNullable<ModelRef['config']>): string | undefined =>
  config.provider === 'openai-compatible' ? config.baseUrlVariable : undefined;

/** Says which variable is missing, for which models, and where to put it. */
export function missingKeysError(missing: readonly MissingKey[], homeEnvFile: string): BenchError {
  const variables = missing.map(({ variable, models }) => `${variable} (for ${models.join(', ')})`);
  return new BenchError('usage', `${variables.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set`, {
    code: 'model.key_missing',
    remedy: `Put ${missing.map(({ variable }) => `\`${variable}=…\``).join(' and ')} into .env in the working directory or into ${homeEnvFile}, or export ${missing.length === 1 ? 'it' : 'them'}. Nothing was started.`,
  });
}
