import type { SamplingParameters } from './model.js';
import type { ModelConfig } from './config.js';

/** OpenAI's models accept only the newer name of the output limit, `max_completion_tokens`. */
export const takesNewOutputKey = ({ provider, dialect }: ModelConfig): boolean =>
  provider === 'openai' || dialect === 'azure';

/** Why a model does not accept these parameters; null: it does. */
export function samplingProblem(config: ModelConfig, asked: SamplingParameters): string | null {
  const { temperature, topP, maxOutputTokens } = asked;
  if (temperature !== undefined && !config.accepts.includes('temperature')) return 'does not accept a temperature';
  if (topP !== undefined && !config.accepts.includes('topP')) return 'does not accept top-p';
  if (config.provider === 'anthropic' && temperature !== undefined && temperature > 1)
    return 'accepts a temperature from 0 to 1';
  if (config.temperatureExcludesTopP && temperature !== undefined && topP !== undefined)
    return 'accepts a temperature or top-p, not both';
  if (maxOutputTokens !== undefined && maxOutputTokens > config.maxOutputTokens)
    return `writes at most ${config.maxOutputTokens} tokens`;
  return null;
}

/** The requested parameters, or the model's defaults, without unaccepted ones. */
export function samplingFor(config: ModelConfig, asked: SamplingParameters): SamplingParameters {
  const usual = config.sampling;
  const one = config.temperatureExcludesTopP;
  const temperature = asked.temperature ?? (one && asked.topP !== undefined ? undefined : usual.temperature);
  const topP = asked.topP ?? (one && asked.temperature !== undefined ? undefined : usual.topP);
  const maxOutputTokens = Math.min(
    asked.maxOutputTokens ?? usual.maxOutputTokens ?? config.maxOutputTokens,
    config.maxOutputTokens,
  );
  return {
    ...(temperature !== undefined && config.accepts.includes('temperature') ? { temperature } : {}),
    ...(topP !== undefined && config.accepts.includes('topP') ? { topP } : {}),
    maxOutputTokens,
  };
}

/** OpenAI's models that do not reason refuse its options; they alone take a temperature. */
export const reasons = ({ effort, accepts }: Pick<ModelConfig, 'effort' | 'accepts'>): boolean =>
  effort !== undefined || !accepts.includes('temperature');
