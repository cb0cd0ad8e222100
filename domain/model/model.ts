import type { ModelConfig } from './config.js';
import type { RateLimits } from '../rate-limits/account-state.js';
import type { Recording } from '../recording/recording.js';
import type { CapturedCall, CaptureLevel } from '../rollouts/captured-tokens.js';

/** Types that pass between a run's steps and models, independent of the provider. */

/** A call of a tool by the model, as providers deliver it: `arguments` is the raw JSON text, which may be garbage. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A tool offered to the model; `parameters` is a JSON schema of type object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ChatMessage {
  /** `tool`: the result of the call `toolCallId` of the assistant message before. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Only on assistant messages of the tool-calling agent. */
  toolCalls?: ToolCall[];
  toolCallId?: string;
}

export const MODEL_KINDS = ['real', 'scripted', 'human', 'external', 'replay', 'oracle'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** Submits the starter as it is: its runs measure the baseline of tasks that state none, and the noise. */
export const BASELINE_MODEL = 'scripted:baseline';

/** A model as named on the command line, resolved. */
export interface ModelRef {
  /** As shown and stored: an alias, `scripted:<policy>`, or `replay:<file>`. */
  name: string;
  kind: ModelKind;
  provider: string;
  /** The provider's own name for it, or the policy, or the hash of the recording. */
  model: string;
  /** Only of real models: its file under configs/models/ as it was at submission, so that a run keeps its prices and limits. */
  config?: ModelConfig;
  /** Only of `replay:` models: what is played back, whatever happens to the file; `model` is its hash. */
  recording?: Recording;
  /** Only of rollouts, whose model is a trainer's endpoint. */
  rollout?: RolloutEndpoint;
}

export interface RolloutEndpoint {
  /** What is asked of it about tokens. */
  capture: CaptureLevel;
  /** Its key and headers, sealed with the installation's key; null: it needs none, or the key is in a variable. */
  sealed: string | null;
}

export interface SamplingParameters {
  temperature?: number | undefined;
  topP?: number | undefined;
  maxOutputTokens?: number | undefined;
}

export interface TokenUsage {
  /** The whole prompt, read from a cache or not. */
  inputTokens: number;
  /** Everything generated, reasoning included. */
  outputTokens: number;
  /** Part of the input: read from the provider's cache. */
  cachedTokens: number;
  /** Part of the output. */
  reasoningTokens: number;
  /** Part of the input: written to the provider's cache. Absent: none. */
  cacheWriteTokens?: number;
}

export interface ModelRequest {
  model: ModelRef;
  messages: ChatMessage[];
  sampling: SamplingParameters;
  /** The run's seed. */
  seed: number;
  /** Only for the tool-calling agent. */
  tools?: ToolDefinition[];
  /** Identifies this attempt in the provider's logs, to see whether a cut-off call was answered. Printable ASCII. */
  callId?: string;
}

export interface ModelReply {
  text: string;
  usage: TokenUsage;
  /** US dollars as an exact decimal string; "0" for scripted models. */
  costUsd: string;
  /** `stop`, `length`, `tool_calls`, `content_filter`, `refusal`, … as our adapters name it. */
  finishReason: string;
  toolCalls?: ToolCall[];
  /** The provider's count was missing or absurd, and why: `usage` and `costUsd` are our own conservative estimate. */
  usageProblem?: string;
  /** The account's limits per minute as stated by the provider; not stored with the reply. */
  statedLimits?: RateLimits;
  /** Only of rollouts. */
  captured?: CapturedCall;
}
