import { imageTokens, namedImages } from './images.js';
import type { ChatMessage, ToolDefinition } from './model.js';
import { reasoningTexts } from './returned-reasoning.js';

/**
 * Token counts without a tokenizer: bounds for the byte-pair encodings in use, on prose, code,
 * numbers and logs. The provider returns exact counts after the call.
 */

/** Roles, separators and the like. */
const PER_MESSAGE = 8;
/** No token is longer, but for runs of one character. */
const CHARACTERS_PER_TOKEN = 8;

const [SPACE, TAB] = [0x20, 0x09];
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** The index after the characters from `from` that `belongs` accepts. */
function endOf(text: string, from: number, belongs: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && belongs(text.charCodeAt(at))) at++;
  return at;
}

/**
 * An upper bound: words in pieces of three letters, capitals in pieces of two, one for each digit,
 * sign and newline. A space joins the next word. A loop over codes: a pattern is ten times slower.
 */
export function estimateTextTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const start = at;
    const code = text.charCodeAt(at);
    if (isLower(code) || (isUpper(code) && isLower(text.charCodeAt(at + 1)))) {
      at = endOf(text, at + 1, isLower);
      tokens += Math.ceil((at - start) / 3);
    } else if (isUpper(code)) {
      at = endOf(text, at + 1, isUpper);
      tokens += Math.ceil((at - start) / 2);
    } else if (isBlank(code)) {
      at = endOf(text, at + 1, isBlank);
      tokens += at - start === 1 && code === SPACE ? 0 : Math.ceil((at - start) / 4);
    } else {
      const point = text.codePointAt(at) ?? 0;
      at += point > 0xffff ? 2 : 1;
      tokens += point > 0xffff ? 4 : point > 0x7f ? 2 : 1;
    }
  }
  return tokens;
}

const textsOf = (message: ChatMessage): string[] => [
  message.content,
  ...(message.toolCalls ?? []).flatMap((call) => [call.id, call.name, call.arguments]),
];

/** A signature, or encrypted reasoning: base64 of at least three bytes for each token. */
const OPAQUE = /^[A-Za-z0-9+/=_-]{64,}$/;
const CHARACTERS_PER_OPAQUE_TOKEN = 4;

const reasoningTokens = ({ reasoning }: ChatMessage): number =>
  (reasoning === undefined ? [] : reasoningTexts(reasoning)).reduce(
    (sum, text) =>
      sum + (OPAQUE.test(text) ? Math.ceil(text.length / CHARACTERS_PER_OPAQUE_TOKEN) : estimateTextTokens(text)),
    0,
  );

/** Of the images that a text names. */
const imagesTokens = ({ role, content }: ChatMessage): number =>
  role === 'assistant' ? 0 : namedImages(content).reduce((sum, image) => sum + imageTokens(image), 0);

/** Several limits read each prompt, and prompts share most messages: each is estimated once. */
const estimated = new WeakMap<ChatMessage | ToolDefinition, number>();

function remembered<T extends ChatMessage | ToolDefinition>(
  part: T,
  texts: (part: T) => string[],
  more: (part: T) => number = () => 0,
): number {
  let tokens = estimated.get(part);
  if (tokens === undefined) {
    tokens = texts(part).reduce((sum, text) => sum + estimateTextTokens(text), PER_MESSAGE + more(part));
    estimated.set(part, tokens);
  }
  return tokens;
}

const toolTexts = (tool: ToolDefinition): string[] => [JSON.stringify(tool)];

/**
 * An upper bound, to reserve before a call, and if the provider's count is lost. Messages and tools
 * must not change afterwards.
 */
export function estimateTokens(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): number {
  let tokens = 0;
  for (const message of messages)
    tokens += remembered(message, textsOf, (one) => reasoningTokens(one) + imagesTokens(one));
  for (const tool of tools) tokens += remembered(tool, toolTexts);
  return tokens;
}

/** Even without its reasoning, the prompt certainly exceeds the window: the call cannot succeed. */
export function exceedsWindow(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  contextWindow: number,
): boolean {
  const texts = [...messages.flatMap(textsOf), ...tools.flatMap(toolTexts)];
  const most = contextWindow * CHARACTERS_PER_TOKEN;
  if (texts.reduce((sum, { length }) => sum + length, 0) <= most) return false;
  // A run of one character can be very few tokens.
  const characters = texts.map((text) => text.replace(/(.)\1{7,}/gsu, '$1').length);
  return Math.floor(characters.reduce((sum, length) => sum + length, 0) / CHARACTERS_PER_TOKEN) > contextWindow;
}
