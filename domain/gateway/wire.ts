import type { ProgramClient } from '../agent/program.js';
import type { ChatMessage, ModelReply, TokenUsage } from '../model/model.js';
import type { Json } from './json.js';

/** One event of a streamed answer; `data` is JSON, or `[DONE]`. */
export interface StreamEvent {
  event: string | null;
  data: string;
}

/** What a request is brought into before it is sent on. */
export interface Allowed {
  /** The provider's name of the run's model. */
  model: string;
  /** Most tokens of the answer. */
  maxOutputTokens: number;
  /** OpenAI's own models take the newer name of that limit alone. */
  newOutputKey: boolean;
  /** Optional parameters that the model takes. */
  accepts: readonly string[];
  /** Stands in for whatever the client says of its user or session. */
  scope: string;
}

/** A request that may be sent on, or why it may not. */
export type Cleaned = { body: Json; images: number; imageBytes: number } | { refused: string };

/** What the parts of an answer come to. */
type Reply = Pick<ModelReply, 'text' | 'toolCalls' | 'finishReason'>;

/** Puts a streamed answer together. */
export interface Assembly {
  /** Returns whether the client gets it. */
  add(event: StreamEvent): boolean;
  /** The whole answer as it would have come unstreamed; null: it is not whole. */
  answer(): Json | null;
}

/** The wire that a client speaks, and its provider too: pure rules. */
export interface Wire {
  client: ProgramClient;
  /** Where the client asks. */
  path: string;
  /** Below the provider's base address. */
  upstreamPath: string;
  clean(body: Json, allowed: Allowed): Cleaned;
  /** For the record: what is asked, as messages. */
  messages(body: Json): ChatMessage[];
  /** What tools brought since the last answer, by the id of their call. */
  results(body: Json): { id: string; text: string }[];
  reply(answer: Json): Reply;
  usage(answer: Json): TokenUsage | null;
  assembly(body: Json): Assembly;
  /** A whole answer as a stream. */
  stream(answer: Json): StreamEvent[];
  error(error: { type: string; code: string | null; message: string }): Json;
}

export const parsed = (data: string): Json | null => {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
};

export const NOT_KEPT = 'the provider keeps nothing for a run: send the whole conversation';
