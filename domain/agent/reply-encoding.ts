import { z } from 'zod';
import type { ToolCall } from '../model/model.js';
import type { ReplyInput } from './parse-reply.js';

/**
 * Marks canonical JSON of a reply with tool calls; others are plain text. A text that begins with
 * the mark is encoded too, so that decoding is exact.
 */
const MARK = '{"reply":1,';

const encoded = z.strictObject({
  reply: z.literal(1),
  text: z.string(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
});

export interface DecodedReply {
  text: string;
  /** Absent: none. */
  toolCalls?: ToolCall[];
}

function readEncoded(response: string): DecodedReply | null {
  if (!response.startsWith(MARK)) return null;
  let value: unknown;
  try {
    value = JSON.parse(response);
  } catch {
    return null;
  }
  const read = encoded.safeParse(value);
  if (!read.success) return null;
  const { text, toolCalls } = read.data;
  return toolCalls.length === 0 ? { text } : { text, toolCalls };
}

export function encodeReply(reply: ReplyInput): string {
  const calls = reply.toolCalls ?? [];
  if (calls.length === 0 && readEncoded(reply.text) === null) return reply.text;
  const toolCalls = calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  return JSON.stringify({ reply: 1, text: reply.text, toolCalls });
}

export const decodeReply = (response: string): DecodedReply => readEncoded(response) ?? { text: response };
