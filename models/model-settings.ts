import type { ModelConfig, Provider } from '../domain/model-config.js';

/** What an adapter is made of. */
export interface ModelSettings {
  config: ModelConfig;
  /** Empty for servers that want none. */
  apiKey: string;
  /** Overrides the configuration's own. */
  baseUrl?: string | undefined;
  /** Overrides the configuration's own; tests make it short. */
  requestTimeoutMs?: number | undefined;
  /** The clock that prices and Retry-After dates are read by. */
  now?: (() => Date) | undefined;
}

/** Options that both SDKs share: no retries of their own, nothing logged, no credentials and addresses from elsewhere. */
export const quietClient = {
  maxRetries: 0,
  logLevel: 'off',
  logger: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
} as const;

/** Where the providers' own SDKs go; a compatible server has no usual address. */
export const USUAL_BASE_URL: Partial<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};
