import { BenchError } from '../domain/errors.js';
import type { ModelRef, ModelReply } from '../domain/model.js';
import { addressProblem, type Provider, PROVIDERS } from '../domain/model-config.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import { ProviderError } from '../domain/provider-error.js';
import { keyRedactor } from '../domain/redact-keys.js';
import { accountOf, addressOf } from './account-of.js';
import { createAnthropicModel } from './anthropic.js';
import { USUAL_BASE_URL } from './model-settings.js';
import { createOpenAiModel } from './openai.js';

type Env = Readonly<Record<string, string | undefined>>;

const RESTART = 'restart the worker, then repeat the run.';

/**
 * The worker's models of each provider. The request has the configuration that the run was submitted with; keys and addresses come
 * from the worker's environment and are used only for the call. `secrets`: further values to keep out of recorded replies.
 */
export function createProviderModels(env: Env, secrets: readonly string[] = []): Map<Provider, ModelPort> {
  return new Map(PROVIDERS.map((provider) => [provider, providerModel(env, secrets)]));
}

function providerModel(env: Env, secrets: readonly string[]): ModelPort {
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
      const apiKey = said(config.apiKeyVariable);
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
      const redact = redactorOf(apiKey);
      try {
        return withoutKeys(await create({ config, apiKey, baseUrl }).complete(request, signal, sending), redact);
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
