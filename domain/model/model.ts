import type { StoredImage } from './images.js';
import type { ModelConfig } from './config.js';
import type { RateLimits } from '../rate-limits/account-state.js';
import type { Recording } from '../recording/recording.js';
import type { CapturedCall, CaptureLevel } from '../rollouts/captured-tokens.js';

/** Provider-independent types between a run's steps and models. */

/** `arguments` is the raw JSON text from the provider, which may be malformed. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ChatMessage {
  /** `tool`: the result of the previous assistant message's call `toolCallId`. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Only on assistant messages of tool-calling agents. */
  toolCalls?: ToolCall[];
  toolCallId?: string;
  /** With tool calls: what the model wants back with them, encoded; see returned-reasoning.ts. */
  reasoning?: string;
}

export const MODEL_KINDS = ['real', 'scripted', 'human', 'external', 'replay', 'oracle'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** Submits the unchanged starter, to measure a task's missing baseline, and its noise. */
export const BASELINE_MODEL = 'scripted:baseline';

export interface ModelRef {
  /** An alias, `scripted:<policy>`, or `replay:<file>`. */
  name: string;
  kind: ModelKind;
  provider: string;
  /** The provider's name, the policy, or the recording's hash. */
  model: string;
  /** Its configuration at submission, so that a run keeps its prices and limits. */
  config?: ModelConfig;
  /** Content of a `replay:` file; `model` is its hash. */
  recording?: Recording;
  /** Only of rollouts, whose model is a trainer's endpoint. */
  rollout?: RolloutEndpoint;
}

/** The model that answers what this one refuses; null: none. Its own fallback does not count. */
export function fallbackOf(model: Pick<ModelRef, 'config'> | undefined): ModelRef | null {
  const fallback = model?.config?.fallback;
  if (fallback === undefined || typeof fallback === 'string') return null;
  const { name, config: own } = fallback;
  return { name, kind: 'real', provider: own.provider, model: own.model, config: own };
}

export interface RolloutEndpoint {
  /** Requested token data. */
  capture: CaptureLevel;
  /** Sealed key and headers; null: none, or the key is in a variable. */
  sealed: string | null;
}

export interface SamplingParameters {
  temperature?: number | undefined;
  topP?: number | undefined;
  maxOutputTokens?: number | undefined;
}

export interface TokenUsage {
  /** The whole prompt, including cached parts. */
  inputTokens: number;
  /** Everything generated, including reasoning. */
  outputTokens: number;
  /** Part of the input: read from the provider's cache. */
  cachedTokens: number;
  reasoningTokens: number;
  /** Part of the input: written to the provider's cache. Absent: none. */
  cacheWriteTokens?: number;
  /** Part of these: kept for an hour. Absent: none. */
  cacheWriteHourTokens?: number;
}

export interface ModelRequest {
  model: ModelRef;
  messages: ChatMessage[];
  sampling: SamplingParameters;
  seed: number;
  /** Only for tool-calling agents. */
  tools?: ToolDefinition[];
  /** A reply may call several tools. Absent: one. */
  severalCalls?: true;
  /** Has the provider's cache keep the prompt for an hour, where it offers that. */
  cacheForAnHour?: true;
  /** By id; they follow the texts that name them. Absent: none. */
  images?: ReadonlyMap<string, StoredImage>;
  /** For the provider's logs: was a cut-off call answered? Printable ASCII. */
  callId?: string;
}

export interface ModelReply {
  text: string;
  usage: TokenUsage;
  /** US dollars as an exact decimal string; "0" for scripted models. */
  costUsd: string;
  /** `stop`, `length`, `tool_calls`, `content_filter`, `refusal`, … */
  finishReason: string;
  toolCalls?: ToolCall[];
  /** With tool calls: what the model wants back with them, encoded. */
  reasoning?: string;
  /** Why the provider's count is unusable: `usage` and `costUsd` are conservative estimates. */
  usageProblem?: string;
  /** Per minute, from the provider; not stored with the reply. */
  statedLimits?: RateLimits;
  /** Only of rollouts. */
  captured?: CapturedCall;
}
