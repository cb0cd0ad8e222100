import { billedWith, type FailedAnswer, messagesFailure } from '../model/failed-answer.js';
import type { ChatMessage, ToolCall } from '../model/model.js';
import { messagesUsage } from '../model/reported-usage.js';
import { contentText, flagProblem, isJson, type Json, listOf, listProblem, numberOf, pick, textOf } from './json.js';
import { between, COUNT, FROM_ZERO, type NumberFields, numberProblem } from './numbers.js';
import {
  type Check,
  contentProblem,
  either,
  hasNoAddress,
  Images,
  isAny,
  isFormat,
  isObject,
  isPartList,
  isText,
  isTruth,
  roleProblem,
  settingProblem,
  type Shape,
  type Shapes,
} from './parts.js';
import { type Assembly, type Cleaned, parsed, type StreamEvent, type Wire } from './wire.js';

const KEYS = [
  ...['messages', 'system', 'tool_choice', 'stop_sequences', 'stream', 'context_management', 'output_config'],
];
/** Tools that the client runs. */
const CLIENT_TOOLS = /^(?:custom|bash_\d+|text_editor_\d+|memory_\d+)$/;
const NUMBERS: NumberFields = {
  ...{ max_tokens: COUNT, 'thinking.budget_tokens': COUNT },
  ...{ temperature: between(0, 1), top_p: between(0, 1), top_k: FROM_ZERO },
  ...{ 'output_config.task_budget.total': COUNT, 'output_config.task_budget.remaining': FROM_ZERO },
  ...Object.fromEntries(
    ['trigger', 'keep', 'clear_at_least'].map((key) => [`context_management.edits.*.${key}.value`, FROM_ZERO]),
  ),
};
const SETTINGS: Shape = {
  ...{
    tool_choice: hasNoAddress,
    stop_sequences: hasNoAddress,
    context_management: hasNoAddress,
    thinking: hasNoAddress,
  },
  output_config: isObject({ effort: isText, format: isFormat, task_budget: hasNoAddress }),
};
const MARKS = { cache_control: hasNoAddress, citations: hasNoAddress };
const isContent: Check = either(
  isText,
  isPartList(() => BLOCKS),
);
const isSource = (value: unknown): boolean => isJson(value) && (SOURCES.get(textOf(value['type']))?.(value) ?? false);
const SOURCES: ReadonlyMap<string, Check> = new Map([
  ['base64', isObject({ media_type: isText, data: isText })],
  ['text', isObject({ media_type: isText, data: isText })],
  ['content', isObject({ content: isContent })],
]);
const BLOCKS: Shapes = new Map<string, Shape>([
  ['text', { ...MARKS, text: isText }],
  ['image', { ...MARKS, source: isSource }],
  ['document', { ...MARKS, source: isSource, title: isText, context: isText }],
  ['search_result', { ...MARKS, source: isText, title: isText, content: isContent }],
  ['tool_use', { ...MARKS, id: isText, name: isText, input: isAny, caller: hasNoAddress }],
  ['tool_result', { ...MARKS, tool_use_id: isText, content: isContent, is_error: isTruth }],
  ['tool_reference', { ...MARKS, tool_name: isText }],
  ['thinking', { thinking: isText, signature: isText }],
  ['redacted_thinking', { data: isText }],
  ['compaction', { ...MARKS, content: isText }],
]);
/** A thought must leave room for the answer. */
const LEAST_ANSWER = 512;
const LEAST_THINKING = 1024;

const within = (block: Json): Json[] => {
  const inside = isJson(block['source']) ? listOf(block['source']['content']) : [];
  return [block, ...[...listOf(block['content']), ...inside].flatMap(within)];
};
const blocksOf = (body: Json): Json[] =>
  [body['system'], ...listOf(body['messages']).map(({ content }) => content)].flatMap(listOf).flatMap(within);

/** Cache entries last five minutes or an hour: those have prices. */
const lasting = (cache: unknown): Json => ({
  type: 'ephemeral',
  ...(isJson(cache) && cache['ttl'] === '1h' ? { ttl: '1h' } : {}),
});
const withPricedCaches = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(withPricedCaches) as T;
  if (!isJson(value)) return value;
  const { cache_control: cache, content, ...rest } = value;
  return {
    ...rest,
    ...(content === undefined ? {} : { content: withPricedCaches(content) }),
    ...(cache == null ? {} : { cache_control: lasting(cache) }),
  } as T;
};

const FINISH_REASONS = new Map([
  ['end_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
]);

export const messagesWire: Wire = {
  client: 'anthropic',
  path: '/v1/messages',
  upstreamPath: () => '/v1/messages',

  clean(body, allowed): Cleaned {
    const contents = [body['system'], ...listOf(body['messages']).map(({ content }) => content)];
    const problem =
      numberProblem(body, NUMBERS) ??
      flagProblem(body) ??
      settingProblem(body, SETTINGS) ??
      listProblem(body, 'messages') ??
      roleProblem(listOf(body['messages'])) ??
      contents.map((content) => contentProblem(content, BLOCKS)).find((one) => one !== null);
    if (problem != null) return { refused: problem };
    const images = new Images();
    for (const { type, source } of blocksOf(body))
      if (type === 'image' || type === 'document') images.add(isJson(source) ? source['data'] : '');
    const given = listOf(body['tools']);
    const tools = given.filter(({ type }) => type === undefined || CLIENT_TOOLS.test(textOf(type)));
    const maxTokens = Math.min(numberOf(body['max_tokens']) ?? Infinity, allowed.maxOutputTokens);
    const kept = pick(body, KEYS);
    const choice = isJson(kept['tool_choice']) ? kept['tool_choice'] : null;
    const forced = choice?.['type'] === 'tool' ? textOf(choice['name']) : null;
    if (tools.length === 0 || (forced !== null && !tools.some(({ name }) => name === forced)))
      delete kept['tool_choice'];
    return {
      ...{ images: images.count, imageBytes: images.bytes },
      body: {
        ...kept,
        ...(kept['messages'] === undefined
          ? {}
          : {
              messages: listOf(kept['messages']).map((message) => withPricedCaches(pick(message, ['role', 'content']))),
            }),
        ...(kept['system'] === undefined ? {} : { system: withPricedCaches(kept['system']) }),
        ...(tools.length === 0 ? {} : { tools: withPricedCaches(tools) }),
        ...(allowed.accepts.includes('temperature') ? pick(body, ['temperature', 'top_k']) : {}),
        ...(allowed.accepts.includes('topP') ? pick(body, ['top_p']) : {}),
        ...thinking(body['thinking'], maxTokens),
        model: allowed.model,
        max_tokens: maxTokens,
        metadata: { user_id: allowed.scope },
      },
    };
  },

  messages: (body) => [
    ...(body['system'] === undefined
      ? []
      : [{ role: 'system', content: contentText(body['system']) } satisfies ChatMessage]),
    ...listOf(body['messages']).map((message): ChatMessage => {
      const content = contentText(message['content']);
      const toolCalls = callsOf(message);
      if (message['role'] !== 'assistant') return { role: 'user', content };
      return { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
    }),
  ],

  results(body) {
    const messages = listOf(body['messages']);
    const after = messages.findLastIndex(({ role }) => role === 'assistant');
    return messages
      .slice(after + 1)
      .flatMap(({ content }) => listOf(content))
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ id: textOf(block['tool_use_id']), text: contentText(block['content']) }));
  },

  reply(answer) {
    const toolCalls = callsOf(answer);
    const texts = listOf(answer['content']).filter(({ type }) => type === 'text');
    const stop = textOf(answer['stop_reason']).slice(0, 40) || 'unknown';
    return {
      text: texts.map(({ text }) => textOf(text)).join(''),
      finishReason: FINISH_REASONS.get(stop) ?? stop,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  },

  usage: messagesUsage,

  failure(answer) {
    const failed = messagesFailure(answer, billedWith(messagesUsage(answer)));
    return failed ?? (Array.isArray(answer['content']) ? null : 'malformed');
  },

  assembly: () => assemble(),

  stream(answer) {
    const { content, stop_reason, stop_sequence = null, usage, ...head } = answer;
    const counted = isJson(usage) ? usage : {};
    const start = {
      ...head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...counted, output_tokens: 1 },
    };
    return [
      event({ type: 'message_start', message: start }),
      ...listOf(content).flatMap(blockEvents),
      event({
        ...{ type: 'message_delta', delta: { stop_reason, stop_sequence } },
        usage: pick(counted, ['output_tokens']),
      }),
      event({ type: 'message_stop' }),
    ];
  },

  error: ({ type, message }) => ({ type: 'error', error: { type, message } }),
};

/** The provider refuses a budget that leaves no room for an answer. */
function thinking(wanted: unknown, maxTokens: number): Json {
  if (!isJson(wanted)) return {};
  const budget = numberOf(wanted['budget_tokens']);
  if (budget === undefined || budget < maxTokens) return { thinking: wanted };
  const most = maxTokens - LEAST_ANSWER;
  return most < LEAST_THINKING ? {} : { thinking: { ...wanted, budget_tokens: most } };
}

const callsOf = (message: Json): ToolCall[] =>
  listOf(message['content'])
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({
      id: textOf(block['id']),
      name: textOf(block['name']),
      arguments: JSON.stringify(block['input'] ?? {}),
    }));

const event = (data: Json): StreamEvent => ({ event: textOf(data['type']), data: JSON.stringify(data) });

function blockEvents(block: Json, index: number): StreamEvent[] {
  const deltas: Json[] = [];
  let start = block;
  if (block['type'] === 'text') {
    start = { ...block, text: '' };
    deltas.push({ type: 'text_delta', text: block['text'] });
  } else if (block['type'] === 'tool_use') {
    start = { ...block, input: {} };
    deltas.push({ type: 'input_json_delta', partial_json: JSON.stringify(block['input'] ?? {}) });
  } else if (block['type'] === 'thinking') {
    start = { type: 'thinking', thinking: '', signature: '' };
    deltas.push({ type: 'thinking_delta', thinking: block['thinking'] });
    deltas.push({ type: 'signature_delta', signature: block['signature'] });
  }
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

/** A block with pending deltas. */
interface OpenBlock {
  block: Json;
  json: string;
}

function assemble(): Assembly {
  let message: Json | null = null;
  let stopped = false;
  let failed: FailedAnswer | null = null;
  const blocks: OpenBlock[] = [];
  const append = (open: OpenBlock, key: string, text: unknown): void => {
    open.block[key] = textOf(open.block[key]) + textOf(text);
  };
  return {
    add({ data }) {
      const said = parsed(data);
      if (said === null) return true;
      const open = blocks[numberOf(said['index']) ?? -1];
      const delta = isJson(said['delta']) ? said['delta'] : {};
      // Anthropic bills no answer that it breaks off.
      failed = messagesFailure(said, 'no');
      switch (said['type']) {
        case 'message_start':
          message = isJson(said['message']) ? { ...said['message'] } : {};
          break;
        case 'content_block_start':
          if (isJson(said['content_block']))
            blocks[numberOf(said['index']) ?? blocks.length] = { block: { ...said['content_block'] }, json: '' };
          break;
        case 'content_block_delta':
          if (open === undefined) break;
          if (delta['type'] === 'text_delta') append(open, 'text', delta['text']);
          else if (delta['type'] === 'input_json_delta') open.json += textOf(delta['partial_json']);
          else if (delta['type'] === 'thinking_delta') append(open, 'thinking', delta['thinking']);
          else if (delta['type'] === 'signature_delta') append(open, 'signature', delta['signature']);
          break;
        case 'message_delta':
          if (message === null) break;
          Object.assign(message, delta);
          // This event's counts are of the whole answer.
          if (isJson(said['usage']))
            message['usage'] = { ...(isJson(message['usage']) ? message['usage'] : {}), ...said['usage'] };
          stopped ||= delta['stop_reason'] != null;
          break;
      }
      return true;
    },
    answer() {
      if (message === null || !stopped) return null;
      const content = blocks.flatMap(({ block, json }) =>
        json === '' ? [block] : [{ ...block, input: parsed(json) ?? {} }],
      );
      return { ...message, content };
    },
    failed: () => failed,
  };
}
