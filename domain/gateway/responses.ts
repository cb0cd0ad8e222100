import { billedWith, type FailedAnswer, responsesFailure } from '../model/failed-answer.js';
import type { ChatMessage, ToolCall } from '../model/model.js';
import { responsesUsage } from '../model/reported-usage.js';
import { roleOf } from './chat.js';
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
  isInlineFile,
  isInlineImage,
  isObject,
  isPartList,
  isText,
  NO_ADDRESSES,
  partProblem,
  roleProblem,
  settingProblem,
  type Shape,
  type Shapes,
} from './parts.js';
import { type Assembly, type Cleaned, NOT_KEPT, parsed, type StreamEvent, type Wire } from './wire.js';

const KEYS = ['input', 'instructions', 'tool_choice', 'reasoning', 'text', 'stream', 'truncation'];
const CLIENT_TOOLS = ['function', 'custom', 'local_shell', 'apply_patch'];
const ENDS = ['response.completed', 'response.incomplete', 'response.failed'];

const NUMBERS: NumberFields = {
  ...{ max_output_tokens: COUNT, max_tool_calls: COUNT, 'reasoning.max_tokens': COUNT },
  ...{ temperature: between(0, 2), top_p: between(0, 1), top_logprobs: { ...FROM_ZERO, most: 20 } },
};
const PARTS: Shapes = new Map<string, Shape>([
  ...['input_text', 'text', 'summary_text', 'reasoning_text'].map((type) => [type, { text: isText }] as const),
  // Clients return what an answer has besides its text.
  ['output_text', { text: isText, annotations: hasNoAddress, logprobs: hasNoAddress }],
  ['refusal', { refusal: isText }],
  ['input_image', { image_url: isInlineImage, detail: isText }],
  ['input_file', { file_data: isInlineFile, filename: isText, detail: isText }],
  ['computer_screenshot', { image_url: isInlineImage }],
]);
const SETTINGS: Shape = {
  ...{ instructions: isText, tool_choice: hasNoAddress, reasoning: hasNoAddress, truncation: isText },
  text: isObject({ format: isFormat, verbosity: isText }),
};
const isContent: Check = either(
  isText,
  isPartList(() => PARTS),
);
/** Keys with structured values; other keys may not contain addresses. */
const ITEMS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  message: { content: isContent },
  reasoning: { content: isContent, summary: isContent },
  function_call: {},
  function_call_output: { output: isContent },
  custom_tool_call: {},
  custom_tool_call_output: { output: isContent },
  // These contain the client's own commands.
  local_shell_call: { action: isAny },
  local_shell_call_output: { output: isContent },
  apply_patch_call: { operation: isAny },
  apply_patch_call_output: { output: isContent },
  computer_call_output: { output: (value) => partProblem(value, PARTS) === null },
  additional_tools: { tools: isAny },
  compaction: {},
  compaction_summary: {},
  context_compaction: {},
};

function itemProblem(item: Json): string | null {
  const type = textOf(item['type']) || (item['role'] === undefined ? '' : 'message');
  if (!Object.hasOwn(ITEMS, type)) return `items of type ${JSON.stringify(type.slice(0, 40))} are not taken`;
  if (type === 'message' && !Array.isArray(item['content'])) return contentProblem(item['content'], PARTS);
  const checks = ITEMS[type]!;
  for (const [key, value] of Object.entries(item)) {
    if (value === null) continue;
    const check = Object.hasOwn(checks, key) ? checks[key]! : (one: unknown): boolean => hasNoAddress({ [key]: one });
    if (check(value)) continue;
    return (Array.isArray(value) ? contentProblem(value, PARTS) : null) ?? `${key}: ${NO_ADDRESSES}`;
  }
  return null;
}

/** Tools that the client runs, also within namespaces. */
const clientTools = (tools: unknown): Json[] =>
  listOf(tools).flatMap((tool) => {
    if (tool['type'] === 'namespace') {
      const inside = clientTools(tool['tools']);
      return inside.length === 0 ? [] : [{ ...tool, tools: inside }];
    }
    return CLIENT_TOOLS.includes(textOf(tool['type'])) ? [tool] : [];
  });

const items = (input: unknown): Json[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input);

export const responsesWire: Wire = {
  client: 'openai-responses',
  path: '/v1/responses',
  upstreamPath: () => '/responses',

  clean(body, allowed): Cleaned {
    for (const key of ['previous_response_id', 'conversation'])
      if (body[key] != null) return { refused: `${key}: ${NOT_KEPT}` };
    if (body['background'] === true) return { refused: `background: ${NOT_KEPT}` };
    const problem =
      numberProblem(body, NUMBERS) ??
      flagProblem(body) ??
      settingProblem(body, SETTINGS) ??
      (typeof body['input'] === 'string' ? null : listProblem(body, 'input')) ??
      roleProblem(items(body['input']));
    if (problem !== null) return { refused: problem };
    const images = new Images();
    for (const item of items(body['input'])) {
      const refused = itemProblem(item);
      if (refused !== null) return { refused };
      const parts = [...listOf(item['content']), ...listOf(item['output']), ...[item['output']].filter(isJson)];
      for (const { type, image_url: image } of parts)
        if (type === 'input_image' || type === 'computer_screenshot') images.add(image);
    }
    const tools = clientTools(body['tools']);
    const kept = pick(body, KEYS);
    if (tools.length === 0) delete kept['tool_choice'];
    if (!allowed.reasons) delete kept['reasoning'];
    if (Array.isArray(kept['input']))
      kept['input'] = listOf(kept['input']).map((item) =>
        item['type'] === 'additional_tools' ? { ...item, tools: clientTools(item['tools']) } : item,
      );
    return {
      ...{ images: images.count, imageBytes: images.bytes },
      body: {
        ...kept,
        ...(body['tools'] === undefined ? {} : { tools }),
        ...(allowed.accepts.includes('temperature') ? pick(body, ['temperature']) : {}),
        ...(allowed.accepts.includes('topP') ? pick(body, ['top_p']) : {}),
        ...(body['parallel_tool_calls'] === undefined ? {} : pick(body, ['parallel_tool_calls'])),
        ...(allowed.reasons && listIncludes(body['include'], 'reasoning.encrypted_content')
          ? { include: ['reasoning.encrypted_content'] }
          : {}),
        model: allowed.model,
        max_output_tokens: Math.min(numberOf(body['max_output_tokens']) ?? Infinity, allowed.maxOutputTokens),
        store: false,
        prompt_cache_key: allowed.scope,
      },
    };
  },

  messages: (body) => [
    ...(body['instructions'] === undefined
      ? []
      : [{ role: 'system', content: textOf(body['instructions']) } satisfies ChatMessage]),
    ...items(body['input']).map((item): ChatMessage => {
      const [call] = callsOf([item]);
      if (call !== undefined) return { role: 'assistant', content: '', toolCalls: [call] };
      if (isResult(item)) return { role: 'tool', content: outputText(item), toolCallId: textOf(item['call_id']) };
      return { role: roleOf(item['role']), content: contentText(item['content']) };
    }),
  ],

  results: (body) =>
    items(body['input'])
      .filter(isResult)
      .map((item) => ({ id: textOf(item['call_id']), text: outputText(item) })),

  reply(answer) {
    const output = listOf(answer['output']);
    const toolCalls = callsOf(output);
    const parts = output.filter(({ type }) => type === 'message').flatMap(({ content }) => listOf(content));
    const texts = output.filter(({ type }) => type === 'message').map(({ content }) => contentText(content));
    const text = texts.filter((one) => one !== '').join('\n');
    const refused = parts.map((part) => textOf(part['refusal'])).find((one) => one !== '');
    return {
      text: text === '' ? (refused ?? '') : text,
      finishReason: text === '' && refused !== undefined ? 'refusal' : finishReason(answer, toolCalls.length > 0),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  },

  usage: responsesUsage,

  failure(answer) {
    const failed = responsesFailure(answer, billedWith(responsesUsage(answer)));
    return failed ?? (Array.isArray(answer['output']) ? null : 'malformed');
  },

  assembly: () => assemble(),

  stream(answer) {
    const output = listOf(answer['output']);
    const open = { ...answer, status: 'in_progress', output: [], usage: null };
    return [
      event({ type: 'response.created', response: open }),
      ...output.map((item, index) => event({ type: 'response.output_item.done', output_index: index, item })),
      event({ type: endOf(answer), response: answer }),
    ];
  },

  error: ({ type, code, message }) => ({ error: { message, type, param: null, code } }),
};

const listIncludes = (list: unknown, item: string): boolean => Array.isArray(list) && list.includes(item);
const isResult = ({ type }: Json): boolean =>
  /^(?:function_call|custom_tool_call|local_shell_call)_output$/.test(textOf(type));
const outputText = ({ output }: Json): string => (typeof output === 'string' ? output : contentText(output));
const endOf = (answer: Json): string =>
  answer['status'] === 'incomplete' || answer['status'] === 'failed'
    ? `response.${answer['status']}`
    : 'response.completed';

/** An incomplete answer says why. */
function finishReason({ status, incomplete_details: details }: Json, calls: boolean): string {
  if (status === 'failed') return 'failed';
  if (status !== 'incomplete') return calls ? 'tool_calls' : 'stop';
  const reason = isJson(details) ? textOf(details['reason']) : '';
  return reason === 'content_filter' ? reason : 'length';
}

const callsOf = (output: readonly Json[]): ToolCall[] =>
  output
    .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
    .map((item) => ({
      id: textOf(item['call_id']),
      name: textOf(item['name']),
      arguments: argumentsText(item['arguments']) || textOf(item['input']),
    }));

/** Some servers send the object itself. */
const argumentsText = (given: unknown): string => (isJson(given) ? JSON.stringify(given) : textOf(given));

const event = (data: Json): StreamEvent => ({ event: textOf(data['type']), data: JSON.stringify(data) });

/** The last event has the whole answer; servers may omit items from it that came earlier. */
function assemble(): Assembly {
  let whole: Json | null = null;
  let failed: FailedAnswer | null = null;
  const done: Json[] = [];
  return {
    add({ data }) {
      const said = parsed(data);
      if (said === null) return true;
      if (said['type'] === 'response.output_item.done' && isJson(said['item'])) done.push(said['item']);
      if (ENDS.includes(textOf(said['type'])) && isJson(said['response'])) {
        const { response } = said;
        const status = textOf(said['type']).replace('response.', '');
        whole = { object: 'response', status, ...response };
        if (listOf(response['output']).length === 0) whole['output'] = done;
        failed = responsesFailure(whole, billedWith(responsesUsage(whole)));
      } else if (said['type'] === 'error') failed = responsesFailure({ error: said['error'] ?? said }, 'no');
      return true;
    },
    answer: () => whole,
    failed: () => failed,
  };
}
