import { BenchError } from '../domain/errors.js';
import type { ModelRef, ModelReply } from '../domain/model.js';
import { addressProblem, type Provider, PROVIDERS } from '../domain/model-config.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import { ProviderError } from '../domain/provider-error.js';
import { keyRedactor } from '../domain/redact-keys.js';
import type { CaptureLevel } from '../domain/rollouts/captured-tokens.js';
import { type Credentials, unseal } from '../domain/rollouts/credentials.js';
import { accountOf, addressOf } from './account-of.js';
import { createAnthropicModel } from './anthropic.js';
import { USUAL_BASE_URL } from './model-settings.js';
import { createOpenAiModel } from './openai.js';

type Env = Readonly<Record<string, string | undefined>>;

const RESTART = 'restart the worker, then repeat the run.';

/**
 * The worker's models of each provider. The request has the configuration that the run was submitted with; keys and addresses come
 * from the worker's environment, or were sealed with `homeSecret`, and are used only for the call. `secrets`: further values to keep
 * out of recorded replies.
 */
export function createProviderModels(
  env: Env,
  secrets: readonly string[] = [],
  homeSecret?: string,
): Map<Provider, ModelPort> {
  return new Map(PROVIDERS.map((provider) => [provider, providerModel(env, secrets, homeSecret)]));
}

function providerModel(env: Env, secrets: readonly string[], homeSecret: string | undefined): ModelPort {
  const levels = new Map<string, CaptureLevel>();
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
    tellsSending: true,
    account(model) {
      return model.config === undefined ? 'unknown' : accountOf(model.config, baseUrlOf(model));
    },
    endpoint(model) {
      const baseUrl =
        baseUrlOf(model) ?? (model.config === undefined ? undefined : USUAL_BASE_URL[model.config.provider]);
      return baseUrl === undefined ? 'unknown' : addressOf(baseUrl);
    },
    async complete(request, signal, sending) {
      const { name, config } = request.model;
      if (config === undefined)
        throw new BenchError('usage', `the run has no configuration for its model ${name}`, {
          remedy: 'Submit it again.',
        });
      const sealed = credentialsOf(request.model, homeSecret);
      const apiKey = sealed.apiKey === '' ? said(config.apiKeyVariable) : sealed.apiKey;
      if (config.apiKeyVariable !== undefined && apiKey === '')
        throw new BenchError('usage', `this worker has no ${config.apiKeyVariable}, which model ${name} needs`, {
          code: 'model.key_missing',
          remedy: `Set it in the worker's environment, ${RESTART}`,
        });
      const baseUrl = baseUrlOf(request.model);
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
      const create = config.provider === 'anthropic' ? createAnthropicModel : createOpenAiModel;
      const { headers } = sealed;
      const own = [sealed.apiKey, ...Object.values(headers)].some((value) => value !== '');
      const redact = own ? keyRedactor([...secrets, apiKey, ...Object.values(headers)]) : redactorOf(apiKey);
      try {
        const port = create({ config, apiKey, baseUrl, headers, levels });
        return withoutKeys(await port.complete(request, signal, sending), redact);
      } catch (error) {
        throw error instanceof ProviderError ? error.with({ message: redact(error.message) }) : error;
      }
    },
  };
}

/** Redact the key in replies: a server may echo it. */
const withoutKeys = (reply: ModelReply, redact: (text: string) => string): ModelReply => ({
  ...reply,
  text: redact(reply.text),
  finishReason: redact(reply.finishReason),
  ...(reply.toolCalls === undefined
    ? {}
    : {
        toolCalls: reply.toolCalls.map((call) => ({
          id: redact(call.id),
          name: redact(call.name),
          arguments: redact(call.arguments),
        })),
      }),
});

/** What a trainer gave for its endpoint. Throws BenchError (usage) if another home sealed it. */
function credentialsOf({ rollout }: ModelRef, homeSecret: string | undefined): Credentials {
  if (rollout?.sealed == null) return { apiKey: '', headers: {} };
  try {
    return unseal(rollout.sealed, homeSecret ?? '');
  } catch {
    throw new BenchError('usage', "the endpoint's key was sealed by another home, or has been changed", {
      code: 'model.key_missing',
      remedy: 'Name a variable of the worker as api_key, such as $BENCH_ROLLOUT_API_KEY, and set it on each host.',
    });
  }
}
