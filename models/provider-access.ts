import { BenchError } from '../domain/errors.js';
import type { ModelRef } from '../domain/model/model.js';
import { addressProblem, type ModelConfig } from '../domain/model/config.js';
import { headerProblem } from '../domain/model/config.js';
import { keyRedactor } from '../domain/text/redact-keys.js';
import { isConfigured, mayGetKey, urlsVariableOf } from '../domain/rollouts/endpoint-addresses.js';
import { type Credentials, unseal } from '../domain/rollouts/credentials.js';
import { proxyFor } from '../transport/proxies.js';
import { accountOf, addressOf } from './account-of.js';
import { USUAL_BASE_URL } from './model-settings.js';

type Env = Readonly<Record<string, string | undefined>>;

const RESTART = 'restart the worker, then repeat the run.';

export interface Access {
  config: ModelConfig;
  apiKey: string;
  /** Undefined: the provider's default. */
  baseUrl: string | undefined;
  headers: Readonly<Record<string, string>>;
  publicOnly: boolean;
  redact: (text: string) => string;
}

export interface ProviderAccess {
  /** Throws BenchError (usage) where key or address are missing. */
  of(model: ModelRef): Access;
  account(model: ModelRef): string;
  endpoint(model: ModelRef): string;
}

/** Keys and addresses, from the environment or sealed with `sealingKey`, only serve calls. */
export function providerAccess(env: Env, secrets: readonly string[] = [], sealingKey?: string): ProviderAccess {
  const said = (variable: string | undefined): string => (variable === undefined ? '' : (env[variable] ?? '').trim());
  const baseUrlOf = ({ config }: ModelRef): string | undefined =>
    config === undefined ? undefined : said(config.baseUrlVariable) || config.baseUrl;
  const redactors = new Map<string, (text: string) => string>();
  const redactorOf = (apiKey: string): ((text: string) => string) => {
    const known = redactors.get(apiKey) ?? keyRedactor([...secrets, apiKey]);
    redactors.set(apiKey, known);
    return known;
  };
  return {
    account(model) {
      return model.config === undefined ? 'unknown' : accountOf(model.config, baseUrlOf(model));
    },
    endpoint(model) {
      const baseUrl =
        baseUrlOf(model) ?? (model.config === undefined ? undefined : USUAL_BASE_URL[model.config.provider]);
      return baseUrl === undefined ? 'unknown' : addressOf(baseUrl);
    },
    of(model) {
      const { name, config } = model;
      if (config === undefined)
        throw new BenchError('usage', `the run has no configuration for its model ${name}`, {
          remedy: 'Submit it again.',
        });
      const sealed = credentialsOf(model, sealingKey);
      const apiKey = sealed.apiKey === '' ? said(config.apiKeyVariable) : sealed.apiKey;
      if (config.apiKeyVariable !== undefined && apiKey === '')
        throw new BenchError('usage', `this worker has no ${config.apiKeyVariable}, which model ${name} needs`, {
          code: 'model.key_missing',
          remedy: `Set it in the worker's environment, ${RESTART}`,
        });
      refuseUnsendable(model, sealed, config.apiKeyVariable, apiKey);
      const baseUrl = baseUrlOf(model);
      if (baseUrl === undefined && config.provider === 'openai-compatible')
        throw new BenchError(
          'usage',
          `this worker has no ${config.baseUrlVariable ?? 'base URL'}, the address of model ${name}`,
          { code: 'model.address_invalid', remedy: `Set it in the worker's environment, ${RESTART}` },
        );
      const problem = baseUrl === undefined ? null : addressProblem(baseUrl);
      if (problem !== null) {
        const where = said(config.baseUrlVariable) === '' ? 'baseUrl' : config.baseUrlVariable;
        throw new BenchError('usage', `${where}, the address of model ${name}, ${problem}`, {
          code: 'model.address_invalid',
          remedy: `Correct it, ${RESTART}`,
        });
      }
      // Throws where the proxy's address is invalid.
      proxyFor(new URL(baseUrl ?? USUAL_BASE_URL[config.provider] ?? 'http://localhost'));
      const { headers } = sealed;
      if (model.rollout !== undefined && sealed.apiKey === '' && config.apiKeyVariable !== undefined)
        refuseForeignKey(env, config.apiKeyVariable, baseUrl ?? '');
      const publicOnly = model.rollout !== undefined && !isConfigured(env, baseUrl ?? '');
      const own = [sealed.apiKey, ...Object.values(headers)].some((value) => value !== '');
      const redact = own ? keyRedactor([...secrets, apiKey, ...Object.values(headers)]) : redactorOf(apiKey);
      return { config, apiKey, baseUrl, headers, publicOnly, redact };
    },
  };
}

function refuseUnsendable({ name }: ModelRef, sealed: Credentials, variable: string | undefined, apiKey: string): void {
  const key = sealed.apiKey === '' ? (variable ?? '') : "the endpoint's key";
  const values = [[key, apiKey], ...Object.entries(sealed.headers).map(([header, text]) => [`header ${header}`, text])];
  for (const [what = '', value = ''] of values) {
    const problem = headerProblem(value);
    if (problem === null) continue;
    throw new BenchError('usage', `${what}, for model ${name}, ${problem}`, {
      ...{ code: 'setting.invalid', remedy: `Copy the key again, without quotes, on one line; ${RESTART}` },
    });
  }
}

/** Throws BenchError (usage) if the key is not for the rollout's address. */
export function refuseForeignKey(env: Env, variable: string, baseUrl: string): void {
  if (mayGetKey(env, variable, baseUrl)) return;
  throw new BenchError('usage', `model.base_url: ${variable} is not sent to this address`, {
    code: 'model.address_invalid',
    remedy: `List it in ${urlsVariableOf(variable)} where bench runs, then restart the worker; or send a key of its own.`,
  });
}

/** Throws BenchError (usage) if another home sealed them. */
function credentialsOf({ rollout }: ModelRef, sealingKey: string | undefined): Credentials {
  if (rollout?.sealed == null) return { apiKey: '', headers: {} };
  try {
    return unseal(rollout.sealed, sealingKey ?? '');
  } catch {
    throw new BenchError('usage', "the endpoint's key was sealed by another home, or has been changed", {
      code: 'model.key_missing',
      remedy: 'Name a variable of the worker as api_key, such as $BENCH_ROLLOUT_API_KEY, and set it on each host.',
    });
  }
}
