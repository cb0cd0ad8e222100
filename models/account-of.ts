import type { ModelConfig } from '../domain/model/config.js';

/**
 * The provider account's name: as configured, else provider, address and the name of the key's variable, such as
 * `openai:api.openai.com:OPENAI_API_KEY`. Credentials in an address are left out.
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

/** Host and path, without credentials. */
export function addressOf(baseUrl: string): string {
  try {
    const { host, pathname } = new URL(baseUrl);
    return `${host}${pathname}`.replace(/\/+$/, '').slice(0, 200);
  } catch {
    return 'unreadable';
  }
}
