import type { ProgramClient } from '../agent/program.js';
import type { FailedAnswer } from '../model/failed-answer.js';
import type { ChatMessage, ModelReply } from '../model/model.js';
import type { ReportedUsage } from '../model/reported-usage.js';
import type { Json } from './json.js';

/** `data` is JSON, or `[DONE]`. */
export interface StreamEvent {
  event: string | null;
  data: string;
}

export interface Allowed {
  /** The provider's name of the run's model. */
  model: string;
  maxOutputTokens: number;
  /** OpenAI's own models accept only the newer name of that limit. */
  newOutputKey: boolean;
  /** Optional parameters that the model accepts. */
  accepts: readonly string[];
  /** OpenAI's models that do not reason refuse options of reasoning. */
  reasons: boolean;
  /** Replaces the client's user or session ids. */
  scope: string;
}

export type Cleaned = { body: Json; images: number; imageBytes: number } | { refused: string };

type Reply = Pick<ModelReply, 'text' | 'toolCalls' | 'finishReason'>;

export interface Assembly {
  /** Returns whether the client gets it. */
  add(event: StreamEvent): boolean;
  /** As if unstreamed; null: incomplete. */
  answer(): Json | null;
  /** The error that the last event was; null: none. */
  failed(): FailedAnswer | null;
}

/** The protocol of a client and its provider: pure rules. */
export interface Wire {
  client: ProgramClient;
  /** Of its calls; a wire with `addressed` has others below. */
  path: string;
  /** Below the provider's base address. */
  upstreamPath: (call: { model: string; stream: boolean }) => string;
  /** What the address of a call says; null: it is no call. Absent: all is in the body. */
  addressed?(path: string, query: URLSearchParams): { model: string; stream: boolean } | { refused: string } | null;
  clean(body: Json, allowed: Allowed): Cleaned;
  /** The request as messages, for the record. */
  messages(body: Json): ChatMessage[];
  /** Tool results since the last answer, by call id. */
  results(body: Json): { id: string; text: string }[];
  reply(answer: Json): Reply;
  usage(answer: Json): ReportedUsage | null;
  /** Why a success is no answer; null: it is one. */
  failure(answer: Json): FailedAnswer | 'malformed' | null;
  assembly(body: Json): Assembly;
  stream(answer: Json): StreamEvent[];
  error(error: { status: number; type: string; code: string | null; message: string }): Json;
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
