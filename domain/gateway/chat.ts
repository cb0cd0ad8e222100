import { billedWith, chatFailure, type FailedAnswer } from '../model/failed-answer.js';
import type { ChatMessage, ToolCall } from '../model/model.js';
import { chatUsage } from '../model/reported-usage.js';
import {
  contentText,
  flagProblem,
  isJson,
  type Json,
  listOf,
  objectOf,
  listProblem,
  numberOf,
  pick,
  textOf,
} from './json.js';
import { between, COUNT, FROM_ZERO, type NumberFields, numberProblem, WHOLE } from './numbers.js';
import {
  contentProblem,
  either,
  hasNoAddress,
  Images,
  isFormat,
  isInlineImage,
  isObject,
  isText,
  NO_ADDRESSES,
  roleProblem,
  settingProblem,
  type Shape,
  type Shapes,
} from './parts.js';
import { type Assembly, type Cleaned, parsed, type StreamEvent, type Wire } from './wire.js';

const KEYS = [
  ...['messages', 'tools', 'tool_choice', 'response_format', 'stop', 'presence_penalty', 'frequency_penalty'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'reasoning_effort', 'verbosity', 'stream'],
];

const NUMBERS: NumberFields = {
  ...{ max_tokens: COUNT, max_completion_tokens: COUNT, n: COUNT, seed: WHOLE },
  ...{ temperature: between(0, 2), top_p: between(0, 1), top_logprobs: { ...FROM_ZERO, most: 20 } },
  ...{ presence_penalty: between(-2, 2), frequency_penalty: between(-2, 2), 'logit_bias.*': between(-100, 100) },
};
const PARTS: Shapes = new Map<string, Shape>([
  ['text', { text: isText, cache_control: hasNoAddress }],
  ['refusal', { refusal: isText }],
  ['thinking', { thinking: isText, signature: isText }],
  ['image_url', { image_url: either(isInlineImage, isObject({ url: isInlineImage, detail: isText })) }],
]);
const SETTINGS: Shape = {
  response_format: isObject({ json_schema: isFormat }),
  ...Object.fromEntries(
    ['tool_choice', 'stop', 'logit_bias', 'logprobs', 'reasoning_effort', 'verbosity'].map((key) => [
      key,
      hasNoAddress,
    ]),
  ),
};
/** Forwarded keys of a message: clients return more of an answer than providers accept. */
const MESSAGE_KEYS = [
  ...['role', 'name', 'tool_calls', 'tool_call_id', 'refusal', 'function_call', 'cache_control'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'],
];

export const chatWire: Wire = {
  client: 'openai-chat',
  path: '/v1/chat/completions',
  upstreamPath: () => '/chat/completions',

  clean(body, allowed): Cleaned {
    const problem =
      numberProblem(body, NUMBERS) ??
      flagProblem(body) ??
      settingProblem(body, SETTINGS) ??
      listProblem(body, 'messages') ??
      roleProblem(listOf(body['messages']));
    if (problem !== null) return { refused: problem };
    if ((numberOf(body['n']) ?? 1) !== 1) return { refused: 'n: one answer a call' };
    const images = new Images();
    const messages: Json[] = [];
    for (const message of listOf(body['messages'])) {
      const { content } = message;
      const refused = contentProblem(content, PARTS);
      if (refused !== null) return { refused };
      const kept = pick(message, MESSAGE_KEYS);
      if (!hasNoAddress(kept)) return { refused: NO_ADDRESSES };
      messages.push({ ...kept, ...(content === undefined ? {} : { content }) });
      for (const { type, image_url: image } of listOf(content))
        if (type === 'image_url') images.add(isJson(image) ? image['url'] : image);
    }
    const asked = numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']) ?? Infinity;
    const tools = listOf(body['tools']).filter(({ type }) => type === 'function' || type === 'custom');
    const kept = pick(body, KEYS);
    delete kept['tools'];
    if (tools.length === 0) delete kept['tool_choice'];
    // Others have models that take both it and a temperature.
    if (allowed.newOutputKey && !allowed.reasons) delete kept['reasoning_effort'];
    return {
      ...{ images: images.count, imageBytes: images.bytes },
      body: {
        ...kept,
        ...(body['messages'] === undefined ? {} : { messages }),
        ...(tools.length === 0 ? {} : { tools }),
        ...(allowed.accepts.includes('temperature') ? pick(body, ['temperature']) : {}),
        ...(allowed.accepts.includes('topP') ? pick(body, ['top_p']) : {}),
        ...(allowed.accepts.includes('seed') ? pick(body, ['seed']) : {}),
        ...(allowed.accepts.includes('parallelToolCalls') ? pick(body, ['parallel_tool_calls']) : {}),
        model: allowed.model,
        [allowed.newOutputKey ? 'max_completion_tokens' : 'max_tokens']: Math.min(asked, allowed.maxOutputTokens),
        ...(body['stream'] === true ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
      },
    };
  },

  messages: (body) =>
    listOf(body['messages']).map((message): ChatMessage => ({
      role: roleOf(message['role']),
      content: contentText(message['content']),
      ...(message['tool_calls'] === undefined ? {} : { toolCalls: callsOf(message) }),
      ...(message['tool_call_id'] === undefined ? {} : { toolCallId: textOf(message['tool_call_id']) }),
    })),

  results(body) {
    const messages = listOf(body['messages']);
    const after = messages.findLastIndex(({ role }) => role === 'assistant');
    return messages
      .slice(after + 1)
      .filter(({ role }) => role === 'tool')
      .map((message) => ({ id: textOf(message['tool_call_id']), text: contentText(message['content']) }));
  },

  reply(answer) {
    const choice = listOf(answer['choices'])[0] ?? {};
    const message = objectOf(choice['message']);
    const toolCalls = callsOf(message);
    return {
      text: contentText(message['content']) || textOf(message['refusal']),
      finishReason: textOf(choice['finish_reason']).slice(0, 40) || 'unknown',
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  },

  usage: chatUsage,

  failure(answer) {
    const failed = chatFailure(answer, billedWith(chatUsage(answer)));
    if (failed !== null) return failed;
    const { choices } = answer;
    const isAnswer = Array.isArray(choices) && (choices.length === 0 || isJson(listOf(choices)[0]?.['message']));
    return isAnswer ? null : 'malformed';
  },

  assembly: (body) => assemble(isJson(body['stream_options']) && body['stream_options']['include_usage'] === true),

  stream(answer) {
    const { choices: _, usage, ...head } = answer;
    const chunk = (choices: Json[], more: Json = {}): StreamEvent => ({
      event: null,
      data: JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more }),
    });
    const choice = listOf(answer['choices'])[0] ?? {};
    const message = objectOf(choice['message']);
    const calls = listOf(message['tool_calls']).map((call, index) => ({ index, ...call }));
    const delta = { ...message, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    return [
      chunk([{ index: 0, delta, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: choice['finish_reason'] ?? 'stop' }]),
      ...(isJson(usage) ? [chunk([], { usage })] : []),
      { event: null, data: '[DONE]' },
    ];
  },

  error: ({ type, code, message }) => ({ error: { message, type, param: null, code } }),
};

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export const roleOf = (role: unknown): ChatMessage['role'] => ROLES.find((one) => one === role) ?? 'system';

function callsOf(message: Json): ToolCall[] {
  return listOf(message['tool_calls']).map((call) => {
    const {
      name,
      arguments: given,
      input,
    } = (isJson(call['function']) ? call['function'] : (call['custom'] ?? {})) as Json;
    return { id: textOf(call['id']), name: textOf(name), arguments: textOf(given) || textOf(input) };
  });
}

/** The usage chunk is ours, unless the client requested it. */
function assemble(wantsUsage: boolean): Assembly {
  let head: Json | null = null;
  let usage: unknown = null;
  let finish: unknown = null;
  let failed: FailedAnswer | null = null;
  const message: Json = { role: 'assistant', content: null };
  const calls: Json[] = [];
  const hasText = (): boolean =>
    calls.length > 0 || Object.entries(message).some(([key, text]) => key !== 'role' && textOf(text) !== '');
  const addCall = (call: Json): void => {
    const at = numberOf(call['index']) ?? calls.length;
    const given = objectOf(call['function']);
    const known = calls[at];
    if (known === undefined) {
      const { index: _, ...rest } = call;
      calls[at] = { type: 'function', ...rest, function: { name: '', arguments: '', ...given } };
      return;
    }
    const before = known['function'] as Json;
    known['function'] = {
      name: textOf(before['name']) || textOf(given['name']),
      arguments: textOf(before['arguments']) + textOf(given['arguments']),
    };
  };
  return {
    add({ data }) {
      const chunk = data === '[DONE]' ? null : parsed(data);
      if (chunk === null) return true;
      const { choices, usage: counted, object: _, ...rest } = chunk;
      head ??= rest;
      if (isJson(counted)) usage = counted;
      // OpenAI's wire does not say whether a part of an answer is billed.
      failed = chatFailure({ ...chunk, choices: listOf(choices) }, hasText() ? 'unknown' : 'no');
      const [choice] = listOf(choices);
      if (choice === undefined) return wantsUsage || !isJson(counted);
      const delta = objectOf(choice['delta']);
      for (const [key, value] of Object.entries(delta)) {
        if (key === 'role' || key === 'tool_calls') continue;
        if (typeof value === 'string') message[key] = textOf(message[key]) + value;
      }
      listOf(delta['tool_calls']).forEach(addCall);
      if (choice['finish_reason'] != null) finish = choice['finish_reason'];
      return true;
    },
    answer() {
      if (head === null || finish === null) return null;
      const whole = { ...message, ...(calls.length === 0 ? {} : { tool_calls: calls.filter(isJson) }) };
      return {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message: whole, finish_reason: finish }],
        ...(isJson(usage) ? { usage } : {}),
      };
    },
    failed: () => failed,
  };
}
