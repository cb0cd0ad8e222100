import type { CaptureLevel } from '../domain/rollouts/captured-tokens.js';
import type { ModelConfig, Provider } from '../domain/model/config.js';

export interface ModelSettings {
  config: ModelConfig;
  /** Empty for servers without keys. */
  apiKey: string;
  baseUrl?: string | undefined;
  /** Secret, like the key. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A client chose its address, so only the public internet is allowed. */
  publicOnly?: boolean | undefined;
  /** By run: what its endpoint reports of tokens, so that it is asked once. */
  levels?: Map<string, CaptureLevel> | undefined;
  /** For tests; overrides the configuration's. */
  requestTimeoutMs?: number | undefined;
  now?: (() => Date) | undefined;
}

/** No retries, logs, or settings from the environment. */
export const quietClient = {
  maxRetries: 0,
  logLevel: 'off',
  logger: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
} as const;

/** Compatible servers have no default. */
export const USUAL_BASE_URL: Partial<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
};
