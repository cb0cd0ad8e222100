import type { IncomingHttpHeaders } from 'node:http';
import type { ChatMessage, TokenUsage, ToolCall, ToolDefinition } from '../../../domain/model/model.js';

/** A request as a behaviour sees it, whichever wire it came by. */
export interface SimulatedRequest {
  wire: 'openai' | 'responses' | 'anthropic';
  /** From 1, over all requests that this simulator got. */
  number: number;
  key: string;
  model: string;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** What the caller named this attempt, if it did. */
  callId: string | null;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** What is sent about tokens: the true count, nothing, or nonsense. */
export type UsageOnWire = 'true' | 'missing' | 'negative' | 'not_a_number' | 'enormous';

export interface SimulatedReply {
  kind: 'reply';
  text?: string;
  toolCalls?: ToolCall[];
  /** Calls as they stand on the wire, instead of `toolCalls`. */
  rawToolCalls?: unknown[];
  finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal';
  /** Parts of the count to set; the rest is counted. */
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
  /** Nothing comes back until the caller gives up. */
  | { kind: 'hang' }
  | { kind: 'hang_in_body' }
  /** An answer of 200 that says in its stream that it failed. */
  | { kind: 'error_in_stream' }
  | { kind: 'cut' }
  /** The answer was made, and is on the bill, but only half of it arrives. */
  | { kind: 'cut_in_body' }
  | { kind: 'malformed_json' }
  | { kind: 'not_json' }
  /** A page of a web server; with status 200 it says nothing of its type. */
  | { kind: 'page'; status?: number }
  | { kind: 'wrong_shape' }
  | { kind: 'context_overflow' }
  | { kind: 'unauthorized' }
  | { kind: 'forbidden' }
  | { kind: 'not_found' }
  | { kind: 'prompt_filtered' }
  /** `code`: instead of its usual one. */
  | { kind: 'bad_request'; code?: string };

/** Decides what comes back, per request. */
export type Behaviour = (request: SimulatedRequest) => SimulatedReply | Fault | Promise<SimulatedReply | Fault>;
