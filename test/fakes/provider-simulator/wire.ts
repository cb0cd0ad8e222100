import type { IncomingHttpHeaders } from 'node:http';
import type { ChatMessage, TokenUsage, ToolDefinition } from '../../../domain/model/model.js';
import type { SimulatedReply, UsageOnWire } from './behaviour.js';

type Json = Record<string, unknown>;

export interface Wire {
  keyOf(headers: IncomingHttpHeaders): string;
  messages(body: Json): ChatMessage[];
  tools(body: Json): ToolDefinition[];
  /** Why a strict provider refuses the request; null: it accepts it. */
  refusal(body: Json): string | null;
  answer(id: string, model: string, reply: SimulatedReply, usage: Json | null): Json;
  usage(usage: Required<TokenUsage>): Json;
  /** Verbatim messages of the real providers, since adapters distinguish cases by them. */
  error(kind: ErrorName, about: { model: string; key: string }): { status: number; body: Json };
}

export type ErrorName =
  | 'rate_limit'
  | 'quota'
  | 'server_error'
  | 'overloaded'
  | 'context_overflow'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'prompt_filtered'
  | 'bad_request';

export function usageOnWire(counts: Json, how: UsageOnWire = 'true'): Json | null {
  if (how === 'missing') return null;
  const nonsense = { true: null, negative: -17, not_a_number: 'many', enormous: 9_000_000_000 }[how];
  if (nonsense === null) return counts;
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [name, typeof value === 'number' ? nonsense : value]),
  );
}

/** The text of a content, which may come in parts. */
export const said = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string; content?: unknown }) => part.text ?? said(part.content)).join('')
      : '';

export const blank = (content: unknown): boolean =>
  content === null || content === undefined || (typeof content === 'string' && content.trim() === '');
