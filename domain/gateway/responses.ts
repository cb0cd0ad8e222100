import type { ChatMessage, ToolCall } from '../model.js';
import { roleOf } from './chat.js';
import { contentText, isJson, type Json, listOf, numberOf, pick, textOf } from './json.js';
import { type Assembly, type Cleaned, NO_ADDRESSES, NOT_KEPT, parsed, type StreamEvent, type Wire } from './wire.js';

const KEYS = ['input', 'instructions', 'tool_choice', 'reasoning', 'text', 'stream', 'truncation'];
const CLIENT_TOOLS = ['function', 'custom', 'local_shell', 'apply_patch'];
const ENDS = ['response.completed', 'response.incomplete', 'response.failed'];

/** Tools that the client runs, also those within namespaces. */
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

/** OpenAI's responses. */
export const responsesWire: Wire = {
  client: 'openai-responses',
  path: '/v1/responses',
  upstreamPath: '/responses',

  clean(body, allowed): Cleaned {
    for (const key of ['previous_response_id', 'conversation'])
      if (body[key] != null) return { refused: `${key}: ${NOT_KEPT}` };
    if (body['background'] === true) return { refused: `background: ${NOT_KEPT}` };
    let images = 0;
    const parts = items(body['input']).flatMap((item) => [
      ...[item, ...listOf(item['content']), ...listOf(item['output'])],
      ...(isJson(item['output']) ? [item['output']] : []),
    ]);
    for (const part of parts) {
      if (part['type'] === 'item_reference' || part['file_id'] != null || part['file_url'] != null)
        return { refused: NO_ADDRESSES };
      if (part['type'] !== 'input_image' && part['type'] !== 'computer_screenshot') continue;
      images += 1;
      if (!textOf(part['image_url']).startsWith('data:')) return { refused: NO_ADDRESSES };
    }
    const tools = clientTools(body['tools']);
    const kept = pick(body, KEYS);
    if (tools.length === 0) delete kept['tool_choice'];
    if (Array.isArray(kept['input']))
      kept['input'] = listOf(kept['input']).map((item) =>
        item['type'] === 'additional_tools' ? { ...item, tools: clientTools(item['tools']) } : item,
      );
    return {
      images,
      body: {
        ...kept,
        ...(body['tools'] === undefined ? {} : { tools }),
        ...(allowed.accepts.includes('temperature') ? pick(body, ['temperature']) : {}),
        ...(allowed.accepts.includes('topP') ? pick(body, ['top_p']) : {}),
        ...(body['parallel_tool_calls'] === undefined ? {} : pick(body, ['parallel_tool_calls'])),
        ...(listIncludes(body['include'], 'reasoning.encrypted_content')
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
    const texts = output.filter(({ type }) => type === 'message').map(({ content }) => contentText(content));
    const status = textOf(answer['status']);
    return {
      text: texts.join('\n'),
      finishReason:
        status === 'incomplete'
          ? 'length'
          : status === 'failed'
            ? 'failed'
            : toolCalls.length > 0
              ? 'tool_calls'
              : 'stop',
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  },

  usage({ usage }) {
    if (!isJson(usage)) return null;
    const input = isJson(usage['input_tokens_details']) ? usage['input_tokens_details'] : {};
    const output = isJson(usage['output_tokens_details']) ? usage['output_tokens_details'] : {};
    return {
      inputTokens: numberOf(usage['input_tokens']) ?? NaN,
      outputTokens: numberOf(usage['output_tokens']) ?? NaN,
      cachedTokens: numberOf(input['cached_tokens']) ?? 0,
      cacheWriteTokens: numberOf(input['cache_write_tokens']) ?? 0,
      reasoningTokens: numberOf(output['reasoning_tokens']) ?? 0,
    };
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

const callsOf = (output: readonly Json[]): ToolCall[] =>
  output
    .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
    .map((item) => ({
      id: textOf(item['call_id']),
      name: textOf(item['name']),
      arguments: textOf(item['arguments']) || textOf(item['input']),
    }));

const event = (data: Json): StreamEvent => ({ event: textOf(data['type']), data: JSON.stringify(data) });

/** The last event holds the whole answer; what some servers leave out of it came item by item. */
function assemble(): Assembly {
  let whole: Json | null = null;
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
      }
      return true;
    },
    answer: () => whole,
  };
}
