import { billedWith, type FailedAnswer, geminiFailure } from '../model/failed-answer.js';
import {
  geminiFinish,
  geminiParts,
  geminiText,
  geminiToolCalls,
  isGeminiAnswer,
  placeOf,
} from '../model/gemini-answer.js';
import type { ChatMessage } from '../model/model.js';
import { geminiUsage } from '../model/reported-usage.js';
import { contentText, isJson, type Json, listOf, listProblem, numberOf, pick, textOf } from './json.js';
import { between, COUNT, FROM_ZERO, type NumberFields, numberProblem, WHOLE } from './numbers.js';
import { type Check, hasNoAddress, Images, isAny, isObject, isText, isTruth, type Shape } from './parts.js';
import { type Allowed, type Assembly, type Cleaned, NOT_KEPT, parsed, type StreamEvent, type Wire } from './wire.js';

/** `/v1beta/models/<model>:generateContent`, or streamed. */
const PATH = /^\/v1(?:beta)?\/models\/([A-Za-z0-9._-]{1,200}):(generateContent|streamGenerateContent)$/;

/** The older spelling, which servers take too. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  system_instruction: 'systemInstruction',
  generation_config: 'generationConfig',
  tool_config: 'toolConfig',
  safety_settings: 'safetySettings',
  cached_content: 'cachedContent',
};
const SETTINGS = [
  ...['topK', 'stopSequences', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'presencePenalty'],
  ...['frequencyPenalty', 'responseLogprobs', 'logprobs', 'thinkingConfig'],
];
const NUMBERS: NumberFields = {
  ...{ maxOutputTokens: COUNT, candidateCount: COUNT, topK: COUNT, seed: WHOLE },
  ...{ temperature: between(0, 2), topP: between(0, 1), logprobs: { ...FROM_ZERO, most: 20 } },
  ...{ presencePenalty: between(-2, 2), frequencyPenalty: between(-2, 2) },
  'thinkingConfig.thinkingBudget': { ...WHOLE, least: -1 },
};
const THINKING = isObject({ includeThoughts: isTruth, thinkingBudget: isAny, thinkingLevel: isText });
const isInlineData: Check = isObject({ mimeType: isText, data: isText, displayName: isText });
/** A result is the client's own value: the provider reads it as text. */
const PART: Shape = {
  ...{ text: isText, thought: isTruth, thoughtSignature: isText, inlineData: isInlineData },
  functionCall: isObject({ id: isText, name: isText, args: isJson }),
  functionResponse: isObject({ id: isText, name: isText, response: isJson, willContinue: isTruth, scheduling: isText }),
};

function partProblem(part: unknown): string | null {
  if (!isJson(part)) return 'parts must be objects';
  for (const [key, value] of Object.entries(part)) {
    if (value === null) continue;
    if (!Object.hasOwn(PART, key)) return `parts with ${JSON.stringify(key.slice(0, 40))} are not taken`;
    if (!PART[key]!(value)) return `a part's ${key} is not of a known form: files are taken inline alone`;
  }
  return null;
}

function contentProblem(content: unknown): string | null {
  if (!isJson(content)) return 'a content must be an object with parts';
  const { role, parts } = content;
  if (role != null && typeof role !== 'string') return 'the role of a content must be a text';
  if (!Array.isArray(parts)) return 'parts: must be a list';
  return parts.map(partProblem).find((problem) => problem !== null) ?? null;
}

const spelledAsUsual = (body: Json): Json =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [OTHER_SPELLINGS[key] ?? key, value]));

/** Functions that the client runs. Searches and code would be run by the provider. */
function clientTools(tools: unknown): Json[] {
  return listOf(tools).flatMap((tool) => {
    const functions = listOf(tool['functionDeclarations'] ?? tool['function_declarations']);
    return functions.length === 0 ? [] : [{ functionDeclarations: functions }];
  });
}

function settingsOf(given: Json, allowed: Allowed): Json | { refused: string } {
  const problem = numberProblem(given, NUMBERS);
  if (problem !== null) return { refused: `generationConfig.${problem}` };
  if ((numberOf(given['candidateCount']) ?? 1) !== 1) return { refused: 'candidateCount: one answer a call' };
  const { thinkingConfig: thinking } = given;
  if (thinking != null && !THINKING(thinking)) return { refused: 'thinkingConfig: is not of a known form' };
  return {
    ...pick(given, SETTINGS),
    ...(allowed.accepts.includes('temperature') ? pick(given, ['temperature']) : {}),
    ...(allowed.accepts.includes('topP') ? pick(given, ['topP']) : {}),
    ...(allowed.accepts.includes('seed') ? pick(given, ['seed']) : {}),
    maxOutputTokens: Math.min(numberOf(given['maxOutputTokens']) ?? Infinity, allowed.maxOutputTokens),
  };
}

const contentsOf = (body: Json): Json[] => listOf(body['contents']);
const partsIn = (content: unknown): Json[] => (isJson(content) ? listOf(content['parts']) : []);

const resultText = (result: Json): string => {
  const { response } = result;
  if (!isJson(response)) return '';
  const said = [response['output'], response['error'], response['result']].find((value) => typeof value === 'string');
  return textOf(said) || contentText(response['content']) || JSON.stringify(response);
};

/** Gemini's own API. Model and stream are in the address: `addressed` puts them into the body. */
export const geminiWire: Wire = {
  client: 'gemini',
  path: '/v1beta/models',
  upstreamPath: ({ model, stream }) =>
    `/${model.includes('/') ? model : `models/${model}`}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,

  addressed(path, query) {
    const [, model, method] = PATH.exec(path) ?? [];
    if (model === undefined) return null;
    const stream = method === 'streamGenerateContent';
    if (stream && query.get('alt') !== 'sse') return { refused: 'ask for a stream with ?alt=sse' };
    return { model, stream };
  },

  clean(asked, allowed): Cleaned {
    const body = spelledAsUsual(asked);
    if (body['cachedContent'] != null) return { refused: `cachedContent: ${NOT_KEPT}` };
    const { systemInstruction: system, generationConfig: given = {} } = body;
    const contents = contentsOf(body);
    const problem =
      listProblem(body, 'contents') ??
      [...contents, ...(system == null ? [] : [system])].map(contentProblem).find((one) => one !== null) ??
      (isJson(given) ? null : 'generationConfig: must be an object') ??
      ['toolConfig', 'safetySettings']
        .map((key) => (hasNoAddress(body[key]) ? null : `${key}: has an address`))
        .find((one) => one !== null) ??
      null;
    if (problem !== null) return { refused: problem };
    const settings = settingsOf(given as Json, allowed);
    if ('refused' in settings) return { refused: textOf(settings['refused']) };
    const images = new Images();
    for (const { inlineData } of contents.flatMap(partsIn)) if (isJson(inlineData)) images.add(inlineData['data']);
    const tools = clientTools(body['tools']);
    return {
      ...{ images: images.count, imageBytes: images.bytes },
      body: {
        ...pick(body, ['contents', 'systemInstruction', 'safetySettings']),
        ...(tools.length === 0 ? {} : { tools, ...pick(body, ['toolConfig']) }),
        generationConfig: settings,
      },
    };
  },

  messages(body) {
    const system = body['systemInstruction'] ?? body['system_instruction'];
    const messages: ChatMessage[] = system == null ? [] : [{ role: 'system', content: contentText(partsIn(system)) }];
    for (const content of contentsOf(body)) {
      const parts = partsIn(content);
      const toolCalls = geminiToolCalls(parts);
      const text = geminiText(parts);
      if (content['role'] === 'model')
        messages.push({ role: 'assistant', content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
      else {
        for (const { id, text: result } of resultsIn(parts))
          messages.push({ role: 'tool', content: result, toolCallId: id });
        if (text !== '' || !parts.some(({ functionResponse }) => isJson(functionResponse)))
          messages.push({ role: 'user', content: text });
      }
    }
    return messages;
  },

  results(body) {
    const contents = contentsOf(body);
    const after = contents.findLastIndex(({ role }) => role === 'model');
    const parts = contents.slice(after + 1).flatMap(partsIn);
    const places = new Map<string, number>();
    // A client may give ids of its own to calls that have none.
    return resultsIn(parts).flatMap(({ id, name, text }) => {
      const place = placeOf(places, name);
      return id === place
        ? [{ id, text }]
        : [
            { id, text },
            { id: place, text },
          ];
    });
  },

  reply(answer) {
    const parts = geminiParts(answer);
    const toolCalls = geminiToolCalls(parts);
    return {
      text: geminiText(parts),
      finishReason: geminiFinish(answer) ?? 'unknown',
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  },

  usage: geminiUsage,

  failure(answer) {
    const failure = geminiFailure(answer, billedWith(geminiUsage(answer)));
    return failure ?? (isGeminiAnswer(answer) ? null : 'malformed');
  },

  assembly: () => assemble(),

  stream: (answer) => [event(answer)],

  error: ({ status, message }) => ({ error: { code: status, message, status: STATUSES[status] ?? 'INTERNAL' } }),
};

const STATUSES: Readonly<Record<number, string>> = {
  ...{ 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' },
  ...{ 413: 'INVALID_ARGUMENT', 429: 'RESOURCE_EXHAUSTED', 503: 'UNAVAILABLE' },
};

const event = (data: Json): StreamEvent => ({ event: null, data: JSON.stringify(data) });

function resultsIn(parts: readonly Json[]): { id: string; name: string; text: string }[] {
  const places = new Map<string, number>();
  return parts.flatMap(({ functionResponse: result }) => {
    if (!isJson(result)) return [];
    const name = textOf(result['name']);
    const place = placeOf(places, name);
    return [{ id: textOf(result['id']) || place, name, text: resultText(result) }];
  });
}

/** A stream has no event for its end: it is whole once an answer says why it finished. */
function assemble(): Assembly {
  let whole: Json = {};
  let failure: FailedAnswer | null = null;
  const parts: Json[] = [];
  let candidate: Json = {};
  const addPart = (part: Json): void => {
    const last = parts.at(-1);
    const joins =
      last !== undefined &&
      [last, part].every((one) => typeof one['text'] === 'string' && one['thoughtSignature'] === undefined) &&
      (last['thought'] === true) === (part['thought'] === true);
    if (joins) last['text'] = textOf(last['text']) + textOf(part['text']);
    else parts.push({ ...part });
  };
  return {
    add({ data }) {
      const chunk = parsed(data);
      if (chunk === null) return true;
      failure = geminiFailure(chunk, parts.length > 0 ? 'unknown' : 'no');
      const [next = {}] = listOf(chunk['candidates']);
      geminiParts(chunk).forEach(addPart);
      candidate = { ...candidate, ...next };
      whole = { ...whole, ...chunk };
      return true;
    },
    answer() {
      const content = { role: 'model', ...(isJson(candidate['content']) ? candidate['content'] : {}), parts };
      const answer =
        Object.keys(candidate).length === 0 ? whole : { ...whole, candidates: [{ ...candidate, content }] };
      return geminiFinish(answer) === null ? null : answer;
    },
    failed: () => failure,
  };
}
