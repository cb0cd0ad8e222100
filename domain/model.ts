/** What passes between the agent loop and a model, whichever provider it comes from. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export const MODEL_KINDS = ['real', 'scripted', 'human', 'replay', 'oracle'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** A model as named on the command line, resolved. */
export interface ModelRef {
  /** As shown and stored: an alias, or `scripted:<policy>`. */
  name: string;
  kind: ModelKind;
  provider: string;
  /** The provider's own name for it, or the policy. */
  model: string;
}

export interface SamplingParameters {
  temperature?: number | undefined;
  topP?: number | undefined;
  maxOutputTokens?: number | undefined;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
}

export interface ModelRequest {
  model: ModelRef;
  messages: ChatMessage[];
  sampling: SamplingParameters;
  /** The run's seed. */
  seed: number;
}

export interface ModelReply {
  text: string;
  usage: TokenUsage;
  /** US dollars as an exact decimal string; "0" for scripted models. */
  costUsd: string;
  finishReason: string;
}
