import { BenchError } from '../../domain/errors.js';
import { type Provider, PROVIDERS } from '../../domain/model-config.js';
import type { ModelPort } from '../../domain/ports/model-port.js';
import { accountOf } from './account-of.js';
import { createAnthropicModel } from './anthropic.js';
import { createOpenAiModel } from './openai.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The worker's models of each provider. What to call is in the request (the configuration that the run was submitted with); keys
 * and addresses are in the worker's environment, and leave it only in the call itself.
 */
export function createProviderModels(env: Env): Map<Provider, ModelPort> {
  return new Map(PROVIDERS.map((provider) => [provider, providerModel(env)]));
}

function providerModel(env: Env): ModelPort {
  const said = (variable: string | undefined): string => (variable === undefined ? '' : (env[variable] ?? '').trim());
  return {
    account({ config }) {
      return config === undefined ? 'unknown' : accountOf(config, said(config.baseUrlVariable) || config.baseUrl);
    },
    tellsSending: true,
    async complete(request, signal, sending) {
      const { name, config } = request.model;
      if (config === undefined)
        throw new BenchError('usage', `the run holds no configuration of its model ${name}`, {
          remedy: 'Submit it again.',
        });
      const apiKey = said(config.apiKeyVariable);
      if (config.apiKeyVariable !== undefined && apiKey === '')
        throw new BenchError('usage', `this worker has no ${config.apiKeyVariable}, which model ${name} needs`, {
          remedy: 'Set it where the worker is started, start the worker again, then repeat the run.',
        });
      const baseUrl = said(config.baseUrlVariable) || config.baseUrl;
      if (baseUrl === undefined && config.provider === 'openai-compatible')
        throw new BenchError(
          'usage',
          `this worker has no ${config.baseUrlVariable ?? 'base URL'}, the address of model ${name}`,
          {
            remedy: 'Set it where the worker is started, start the worker again, then repeat the run.',
          },
        );
      const create = config.provider === 'anthropic' ? createAnthropicModel : createOpenAiModel;
      return create({ config, apiKey, baseUrl }).complete(request, signal, sending);
    },
  };
}
