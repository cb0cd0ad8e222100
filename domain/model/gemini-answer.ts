import { isJson, type Json, listOf, textOf } from '../gateway/json.js';
import type { ToolCall } from './model.js';

/** Reads an answer of Gemini's own API, a `GenerateContentResponse`; streamed ones are merged. */

const REFUSED = /SAFETY|PROHIBITED|BLOCKLIST|SPII|RECITATION|LANGUAGE|MODEL_ARMOR/;

const candidateOf = (answer: Json): Json => listOf(answer['candidates'])[0] ?? {};

/** Of its only candidate. */
export function geminiParts(answer: Json): Json[] {
  const { content } = candidateOf(answer);
  return isJson(content) ? listOf(content['parts']) : [];
}

const blockedBecause = ({ promptFeedback }: Json): string =>
  isJson(promptFeedback) ? textOf(promptFeedback['blockReason']) : '';

/** Null: the answer is not over, as in the middle of a stream. */
export function geminiFinish(answer: Json): string | null {
  const reason = textOf(candidateOf(answer)['finishReason']);
  if (reason === '') return blockedBecause(answer) === '' ? null : 'refusal';
  if (REFUSED.test(reason)) return 'refusal';
  if (reason === 'MAX_TOKENS') return 'length';
  if (reason !== 'STOP') return reason.toLowerCase().slice(0, 40);
  return geminiParts(answer).some(({ functionCall }) => isJson(functionCall)) ? 'tool_calls' : 'stop';
}

/** Calls may have no id: they and their results are then known by name and place in their turn. */
export function geminiToolCalls(parts: readonly Json[]): ToolCall[] {
  const places = new Map<string, number>();
  return parts.flatMap((part): ToolCall[] => {
    const call = part['functionCall'];
    if (!isJson(call)) return [];
    const name = textOf(call['name']);
    return [{ id: textOf(call['id']) || placeOf(places, name), name, arguments: JSON.stringify(call['args'] ?? {}) }];
  });
}

export function placeOf(places: Map<string, number>, name: string): string {
  const place = (places.get(name) ?? 0) + 1;
  places.set(name, place);
  return `${name}/${place}`;
}

/** Without thoughts. */
export const geminiText = (parts: readonly Json[]): string =>
  parts
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => textOf(text))
    .join('');

export const isGeminiAnswer = (answer: Json): boolean =>
  listOf(answer['candidates']).length > 0 || blockedBecause(answer) !== '';
