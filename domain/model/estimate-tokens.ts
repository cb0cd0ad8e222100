import type { ChatMessage, ToolDefinition } from './model.js';

/**
 * Token counts without a tokenizer: bounds for the byte-pair encodings in use, on prose, code,
 * numbers and logs. The provider returns exact counts after the call.
 */

/** Roles, separators and the like. */
const PER_MESSAGE = 8;

/** Pieces: three letters of a word, or a capital, digit, sign, newline or byte-like character. */
const PIECES = /[A-Z]?[a-z]+|[A-Z]+|[0-9]|[ \t]+|\n|[!-/:-@[-`{-~]|[^]/gu;

/** An upper bound. */
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

/** An upper bound, to reserve before a call, and if the provider's count is lost. */
export function estimateTokens(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): number {
  const texts = textsOf(messages, tools);
  return (
    texts.reduce((sum, text) => sum + estimateTextTokens(text), 0) + PER_MESSAGE * (messages.length + tools.length)
  );
}

/** A lower bound: above the context window, the call cannot succeed. */
export function leastTokens(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): number {
  // A run of one character may be few tokens; other tokens have at most eight characters.
  const characters = textsOf(messages, tools).map((text) => text.replace(/(.)\1{7,}/gsu, '$1').length);
  return Math.floor(characters.reduce((sum, length) => sum + length, 0) / 8);
}
