import type { CaptureLevel } from '../domain/rollouts/captured-tokens.js';
import type { ModelConfig, Provider } from '../domain/model/config.js';

/** Settings of an adapter. */
export interface ModelSettings {
  config: ModelConfig;
  /** Empty for servers without keys. */
  apiKey: string;
  /** Overrides the configuration's own. */
  baseUrl?: string | undefined;
  /** Further headers, secret as the key. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Its address was chosen by the client that began the run, so it must be one of the public internet. */
  publicOnly?: boolean | undefined;
  /** How much a run's endpoint was found to tell of tokens, by run, so that it is asked once. */
  levels?: Map<string, CaptureLevel> | undefined;
  /** Overrides the configuration's own; tests make it short. */
  requestTimeoutMs?: number | undefined;
  /** Clock for prices and Retry-After dates. */
  now?: (() => Date) | undefined;
}

/** Options for both SDKs: no retries, no logging, no credentials or addresses from the environment. */
export const quietClient = {
  maxRetries: 0,
  logLevel: 'off',
  logger: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
} as const;

/** The providers' default addresses; compatible servers have none. */
export const USUAL_BASE_URL: Partial<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};
