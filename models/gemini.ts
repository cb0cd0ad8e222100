import { isJson, type Json, listOf, objectOf, textOf } from '../domain/gateway/json.js';
import type { ModelConfig } from '../domain/model/config.js';
import { billedWith, geminiFailure } from '../domain/model/failed-answer.js';
import type { ChatMessage, ModelReply, ModelRequest, ToolCall, ToolDefinition } from '../domain/model/model.js';
import { geminiFinish, geminiParts, geminiText } from '../domain/model/gemini-answer.js';
import { geminiUsage } from '../domain/model/reported-usage.js';
import { decodeReasoning, encodeReasoning } from '../domain/model/returned-reasoning.js';
import { samplingFor } from '../domain/model/sampling.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import { priced } from './checked-usage.js';
import { UnusableResponse } from './decoded-body.js';
import { errorInside } from './error-answer.js';
import { type ImagesOf, type MessageImage, messageImages } from './message-images.js';
import type { ModelSettings } from './model-settings.js';
import { outputLimit } from './output-limit.js';
import { sendableMessages } from './sendable-messages.js';
import { argumentsObject } from './tool-arguments.js';
import { createWireModel } from './wire-model.js';

/**
 * Gemini's generateContent. Without Google's library: it sends by the global fetch, past our
 * proxies, limits, `sending` and error bodies, and the wire is one request.
 */
export const createGeminiModel = (settings: ModelSettings): ModelPort =>
  createWireModel(settings, {
    path: ({ model }) => `/${model.includes('/') ? model : `models/${model}`}:generateContent`,
    body: requestBody,
    reply: replyFrom,
  });

function requestBody(config: ModelConfig, request: ModelRequest): Json {
  const { tools = [] } = request;
  const { effort, extraBody = {} } = config;
  const { temperature, topP } = samplingFor(config, request.sampling);
  const sendable = sendableMessages(request.messages);
  const firstTurn = sendable.findIndex(({ role }) => role !== 'system');
  const system = firstTurn === -1 ? [] : sendable.slice(0, firstTurn);
  const given = objectOf(extraBody['generationConfig']);
  return {
    ...extraBody,
    ...(system.length > 0 && { systemInstruction: { parts: system.map(({ content }) => ({ text: content })) } }),
    contents: contentsOf(sendable.slice(system.length), config, messageImages(request, sendable)),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declarationOf) }] }),
    generationConfig: {
      ...given,
      maxOutputTokens: outputLimit(config, request),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      // A signed 32-bit number.
      ...(config.accepts.includes('seed') && { seed: request.seed % 2 ** 31 }),
      ...(effort !== undefined && { thinkingConfig: { ...objectOf(given['thinkingConfig']), ...thinkingOf(effort) } }),
    },
  };
}

const declarationOf = ({ name, description, parameters }: ToolDefinition): Json => ({
  ...{ name, description, parametersJsonSchema: parameters },
});

/** Models before Gemini 3 take a number of tokens, later ones a level. */
const thinkingOf = (effort: string): Json =>
  /^-?\d+$/.test(effort) ? { thinkingBudget: Number(effort) } : { thinkingLevel: effort };

type Part = Record<string, unknown>;

/** Turns alternate and begin with the user, to whom results of calls belong. */
function contentsOf(
  messages: readonly ChatMessage[],
  config: ModelConfig,
  imagesOf: ImagesOf,
): { role: string; parts: Part[] }[] {
  const contents: { role: string; parts: Part[] }[] = [];
  const calls = new Map<string, { name: string; id?: string }>();
  const waiting: Part[] = [];
  for (const [at, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = role === 'model' ? replyParts(message, config, calls) : [userPart(message, calls)];
    waiting.push(...imagesOf(message).flatMap(imageParts));
    // The results of a turn's calls come together, before anything else.
    if (role === 'user' && messages[at + 1]?.role !== 'tool') parts.push(...waiting.splice(0));
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: '(begin)' }] });
  return contents;
}

const imageParts = ({ mark, type, base64 }: MessageImage): Part[] => [
  { text: mark },
  { inlineData: { mimeType: type, data: base64 } },
];

function userPart(
  { role, content, toolCallId = '' }: ChatMessage,
  calls: ReadonlyMap<string, { name: string; id?: string }>,
): Part {
  if (role !== 'tool') return { text: content };
  return { functionResponse: { name: 'unnamed', ...calls.get(toolCallId), response: { output: content } } };
}

/** Google's word for a call that its model did not make, or whose signature was left out. */
const NOT_SIGNED = 'skip_thought_signature_validator';
/** Later ones refuse a call without a signature. */
const NEEDS_NO_SIGNATURE = /gemini-[12]\b/;

/** In the reply's order, each signature on the part that it came with. */
function replyParts(
  { content, toolCalls = [], reasoning }: ChatMessage,
  config: ModelConfig,
  calls: Map<string, { name: string; id?: string }>,
): Part[] {
  const places = (reasoning === undefined ? null : decodeReasoning(reasoning))?.parts ?? [];
  const callPlaces = places.filter((place) => isJson(place['functionCall']));
  const callParts = toolCalls.map((call, index): Part => {
    const place = callPlaces[index] ?? {};
    const id = textOf(objectOf(place['functionCall'])['id']);
    const named = { name: call.name, ...(id !== '' && { id }) };
    calls.set(call.id, named);
    return { ...place, functionCall: { ...named, args: argumentsObject(call.arguments) } };
  });
  const [first] = callParts;
  if (first !== undefined && first['thoughtSignature'] === undefined && !NEEDS_NO_SIGNATURE.test(config.model))
    first['thoughtSignature'] = NOT_SIGNED;
  const length = places.reduce((sum, { textLength }) => sum + (typeof textLength === 'number' ? textLength : 0), 0);
  // Of a shortened reply, the thoughts and their signatures come first.
  if (length !== content.length || callPlaces.length !== callParts.length)
    return [...places.filter(isThought), ...(content === '' ? [] : [{ text: content }]), ...callParts];
  let at = 0;
  return places.flatMap((place): Part[] => {
    if (isJson(place['functionCall'])) return callParts.splice(0, 1);
    const { textLength, ...rest } = place;
    return typeof textLength === 'number' ? [{ ...rest, text: content.slice(at, (at += textLength)) }] : [place];
  });
}

const isThought = (part: Part): boolean => part['thought'] === true;
const isText = (part: Part): boolean => typeof part['text'] === 'string' && !isThought(part);

/** Places of texts and calls, which are stored with the reply, and thoughts as they came. */
function reasoningOf(parts: readonly Part[], { provider, model }: ModelConfig): string {
  const places = parts.flatMap((part): Part[] => {
    const { text, functionCall, ...rest } = part;
    if (isJson(functionCall)) {
      const { id } = functionCall;
      return [{ ...rest, functionCall: typeof id === 'string' && id !== '' ? { id } : {} }];
    }
    if (isText(part)) return [{ ...rest, textLength: textOf(text).length }];
    return isThought(part) ? [part] : [];
  });
  const says = places.some(
    (place) => 'thoughtSignature' in place || isThought(place) || 'id' in objectOf(place['functionCall']),
  );
  return encodeReasoning({ provider, model, ...(says && { parts: places }) });
}

function replyFrom(
  { data, headers }: { data: unknown; headers: Headers },
  request: ModelRequest,
  config: ModelConfig,
  now: Date,
): ModelReply {
  if (!isJson(data)) throw new UnusableResponse('the response is no answer');
  const usage = geminiUsage(data);
  const failed = geminiFailure(data, billedWith(usage));
  if (failed !== null) throw errorInside(failed, headers);
  const { candidates } = data;
  const [candidate] = listOf(candidates);
  const answer = (reply: Pick<ModelReply, 'text' | 'finishReason' | 'toolCalls' | 'reasoning'>): ModelReply =>
    priced(reply, usage, request, config, now);
  if (candidate === undefined) {
    if (geminiFinish(data) === 'refusal') return answer({ text: '', finishReason: 'refusal' });
    if (usage === null || (candidates !== undefined && !Array.isArray(candidates)))
      throw new UnusableResponse('the response is no answer');
    return answer({ text: '', finishReason: 'empty_choice' });
  }
  const parts = geminiParts(data);
  const toolCalls = parts.flatMap((part) => (isJson(part['functionCall']) ? [part['functionCall']] : [])).map(callOf);
  const finish = geminiFinish(data) ?? 'unknown';
  const isEmpty = finish === 'stop' && parts.length === 0 && (usage?.usage.reasoningTokens ?? 0) === 0;
  return answer({
    text: geminiText(parts),
    finishReason: isEmpty ? 'refusal' : finish,
    ...(toolCalls.length > 0 && { toolCalls, reasoning: reasoningOf(parts, config) }),
  });
}

const callOf = ({ id, name, args }: Json, index: number): ToolCall => ({
  id: textOf(id) || `call_${index}`,
  name: textOf(name),
  arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
});
