import type { ModelConfig } from '../domain/model/config.js';

/**
 * As configured, else provider, address and the key's variable, such as
 * `openai:api.openai.com:OPENAI_API_KEY`. Without credentials of the address.
 */
export function accountOf(
  config: Pick<ModelConfig, 'provider' | 'account' | 'apiKeyVariable'>,
  baseUrl: string | undefined,
): string {
  if (config.account !== undefined) return config.account;
  return [
    config.provider,
    baseUrl === undefined ? 'default' : addressOf(baseUrl),
    config.apiKeyVariable ?? 'no-key',
  ].join(':');
}

export function addressOf(baseUrl: string): string {
  try {
    const { host, pathname } = new URL(baseUrl);
    return `${host}${pathname}`.replace(/\/+$/, '').slice(0, 200);
  } catch {
    return 'unreadable';
  }
}
