import type { ModelConfig } from '../domain/model/config.js';
import type { ModelRequest } from '../domain/model/model.js';

/** A run's calls begin alike: OpenAI sends them where its cache is. */
export const cacheKey = (
  { provider, dialect, promptCaching }: ModelConfig,
  { callId }: ModelRequest,
): { prompt_cache_key?: string } =>
  (provider === 'openai' || dialect === 'azure') && promptCaching && callId !== undefined
    ? { prompt_cache_key: callId.split('/')[0] ?? '' }
    : {};
