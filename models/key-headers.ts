import type { ModelConfig } from '../domain/model/config.js';

const ANTHROPIC_VERSION = '2023-06-01';

/** How a provider takes its key. */
export function keyHeaders(
  { provider, dialect }: Pick<ModelConfig, 'provider' | 'dialect'>,
  apiKey: string,
): Record<string, string> {
  if (provider === 'anthropic') return { 'x-api-key': apiKey, 'anthropic-version': ANTHROPIC_VERSION };
  if (provider === 'gemini') return { 'x-goog-api-key': apiKey };
  if (dialect === 'azure') return { 'api-key': apiKey };
  return { authorization: `Bearer ${apiKey === '' ? 'none' : apiKey}` };
}
