import type { ChatMessage, ToolDefinition } from './model.js';

/**
 * Token counts without a tokenizer. Models cut text differently; these bounds hold for the byte-pair encodings in use, on
 * prose, code, numbers and logs alike. Exact counts come from the provider, after the call.
 */

/** Roles, separators and the like, per message. */
const PER_MESSAGE = 8;

/** Words in pieces of three letters, a piece per capital, digit, sign, newline or byte-like character. */
const PIECES = /[A-Z]?[a-z]+|[A-Z]+|[0-9]|[ \t]+|\n|[!-/:-@[-`{-~]|[^]/gu;

/** More tokens than the text will have. */
export function estimateTextTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    const code = piece.codePointAt(0) ?? 0;
    if (piece === ' ') continue; // joins the word after it
    if (code > 0xffff) tokens += 4;
    else if (code > 0x7f) tokens += 2;
    else if (/[a-z]/.test(piece)) tokens += Math.ceil(piece.length / 3);
    else if (/[A-Z]/.test(piece)) tokens += Math.ceil(piece.length / 2);
    else tokens += code === 0x20 || code === 0x09 ? Math.ceil(piece.length / 4) : 1;
  }
  return tokens;
}

function textsOf(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): string[] {
  return [
    ...messages.flatMap((message) => [
      message.content,
      ...(message.toolCalls ?? []).flatMap((call) => [call.id, call.name, call.arguments]),
    ]),
    ...tools.map((tool) => JSON.stringify(tool)),
  ];
}

/** More tokens than this prompt will have: for the reservation before a call, and when the provider's own count is lost. */
export function estimateTokens(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): number {
  const texts = textsOf(messages, tools);
  return (
    texts.reduce((sum, text) => sum + estimateTextTokens(text), 0) + PER_MESSAGE * (messages.length + tools.length)
  );
}

/** Fewer tokens than this prompt will have: above the context window, the call need not be tried. */
export function leastTokens(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): number {
  // A run of one character can be very few tokens; nothing else gets beyond eight characters each.
  const characters = textsOf(messages, tools).map((text) => text.replace(/(.)\1{7,}/gsu, '$1').length);
  return Math.floor(characters.reduce((sum, length) => sum + length, 0) / 8);
}
