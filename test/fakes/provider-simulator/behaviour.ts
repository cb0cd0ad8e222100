import type { IncomingHttpHeaders } from 'node:http';
import type { ChatMessage, TokenUsage, ToolCall, ToolDefinition } from '../../../domain/model/model.js';

export interface SimulatedRequest {
  wire: 'openai' | 'responses' | 'anthropic' | 'gemini';
  /** From 1, over all requests of this simulator. */
  number: number;
  key: string;
  model: string;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** The caller's name of this attempt, if any. */
  callId: string | null;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** The reported token count: the true one, nothing, or nonsense. */
export type UsageOnWire = 'true' | 'missing' | 'negative' | 'not_a_number' | 'enormous';

export interface SimulatedReply {
  kind: 'reply';
  text?: string;
  toolCalls?: ToolCall[];
  rawToolCalls?: unknown[];
  finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal';
  /** Overrides parts of the count. */
  usage?: Partial<TokenUsage>;
  usageOnWire?: UsageOnWire;
  /** OpenAI: no choice at all; Anthropic: no content. */
  empty?: boolean;
}

export type Fault =
  | { kind: 'rate_limit'; retryAfter?: string }
  | { kind: 'quota' }
  | { kind: 'server_error'; status?: number }
  | { kind: 'overloaded'; retryAfter?: string }
  /** Nothing is sent until the caller gives up. */
  | { kind: 'hang' }
  | { kind: 'hang_in_body' }
  /** A 200 answer that fails within its stream. */
  | { kind: 'error_in_stream' }
  | { kind: 'cut' }
  /** The answer is billed, but only half of it arrives. */
  | { kind: 'cut_in_body' }
  | { kind: 'malformed_json' }
  | { kind: 'not_json' }
  /** An HTML page; with status 200, without a content type. */
  | { kind: 'page'; status?: number }
  | { kind: 'wrong_shape' }
  | { kind: 'context_overflow' }
  | { kind: 'unauthorized' }
  | { kind: 'forbidden' }
  | { kind: 'not_found' }
  | { kind: 'prompt_filtered' }
  /** `code`: instead of its usual one. */
  | { kind: 'bad_request'; code?: string };

export type Behaviour = (request: SimulatedRequest) => SimulatedReply | Fault | Promise<SimulatedReply | Fault>;
