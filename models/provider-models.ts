import type { ModelReply } from '../domain/model/model.js';
import { type ModelConfig, type Provider, PROVIDERS } from '../domain/model/config.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import { ProviderError } from '../domain/model/provider-error.js';
import type { CaptureLevel } from '../domain/rollouts/captured-tokens.js';
import { createAnthropicModel } from './anthropic.js';
import { createGeminiModel } from './gemini.js';
import type { ModelSettings } from './model-settings.js';
import { createOpenAiModel } from './openai.js';
import { providerAccess, type ProviderAccess } from './provider-access.js';
import { createResponsesModel } from './responses.js';

type Env = Readonly<Record<string, string | undefined>>;

/** By provider. Requests use the run's submitted configuration. `secrets`: more to redact. */
export function createProviderModels(
  env: Env,
  secrets: readonly string[] = [],
  sealingKey?: string,
): Map<Provider, ModelPort> {
  const access = providerAccess(env, secrets, sealingKey);
  return new Map(PROVIDERS.map((provider) => [provider, providerModel(access)]));
}

function adapterOf({ provider, api }: ModelConfig): (settings: ModelSettings) => ModelPort {
  if (provider === 'anthropic') return createAnthropicModel;
  if (provider === 'gemini') return createGeminiModel;
  return api === 'responses' ? createResponsesModel : createOpenAiModel;
}

function providerModel(access: ProviderAccess): ModelPort {
  const levels = new Map<string, CaptureLevel>();
  return {
    tellsSending: true,
    account: (model) => access.account(model),
    endpoint: (model) => access.endpoint(model),
    async complete(request, signal, sending) {
      const { redact, ...reached } = access.of(request.model);
      try {
        const port = adapterOf(reached.config)({ ...reached, levels });
        return withoutKeys(await port.complete(request, signal, sending), redact);
      } catch (error) {
        throw error instanceof ProviderError ? error.with({ message: redact(error.message) }) : error;
      }
    },
  };
}

/** A server may echo the key. */
const withoutKeys = (reply: ModelReply, redact: (text: string) => string): ModelReply => ({
  ...reply,
  text: redact(reply.text),
  finishReason: redact(reply.finishReason),
  ...(reply.reasoning === undefined ? {} : { reasoning: redact(reply.reasoning) }),
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
