import type { SimulatedRequest } from './behaviour.js';

type Json = Record<string, unknown>;

const pieces = (text: string): string[] => text.match(/[^]{1,37}/g) ?? [''];

const named = (data: Json): string => `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
const unnamed = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;

interface Call {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

function chatEvents(answer: Json, withUsage: boolean): string[] {
  const { choices, usage, ...head } = answer;
  const [choice] = choices as { message: { content: string | null; tool_calls?: Call[] }; finish_reason: string }[];
  const chunk = (delta: Json, finish: string | null = null): string =>
    unnamed({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  if (choice === undefined) return ['data: [DONE]\n\n'];
  const calls = (choice.message.tool_calls ?? []).flatMap((call, index) => [
    chunk({ tool_calls: [{ ...call, index, function: { name: call.function.name, arguments: '' } }] }),
    ...pieces(call.function.arguments).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]);
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(choice.message.content ?? '').map((content) => chunk({ content })),
    ...calls,
    chunk({}, choice.finish_reason),
    ...(withUsage ? [unnamed({ ...head, object: 'chat.completion.chunk', choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ];
}

interface Block {
  type: string;
  text?: string;
  input?: unknown;
}

function messageEvents(answer: Json): string[] {
  const { content, stop_reason, usage, ...head } = answer;
  const counted = (usage ?? {}) as Json;
  const start = { ...head, content: [], stop_reason: null, usage: { ...counted, output_tokens: 1 } };
  const blocks = (content as Block[]).flatMap((block, index) => {
    const isText = block.type === 'text';
    const deltas = isText
      ? pieces(block.text ?? '').map((text) => ({ type: 'text_delta', text }))
      : pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return [
      named({
        type: 'content_block_start',
        index,
        content_block: { ...block, ...(isText ? { text: '' } : { input: {} }) },
      }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ];
  });
  return [
    named({ type: 'message_start', message: start }),
    named({ type: 'ping' }),
    ...blocks,
    named({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: counted['output_tokens'] },
    }),
    named({ type: 'message_stop' }),
  ];
}

/** The last event has no output, like servers that send it item by item. */
function responseEvents(answer: Json): string[] {
  const output = answer['output'] as Json[];
  return [
    named({ type: 'response.created', response: { ...answer, status: 'in_progress', output: [], usage: null } }),
    ...output.map((item, output_index) => named({ type: 'response.output_item.done', output_index, item })),
    named({ type: 'response.completed', response: { ...answer, output: [] } }),
  ];
}

/** The text in pieces; the calls, the end and the counts come last. */
function geminiEvents(answer: Json): string[] {
  const { candidates, usageMetadata, ...head } = answer;
  const [candidate] = (candidates ?? []) as { content: { parts: { text?: string }[] }; finishReason: string }[];
  if (candidate === undefined) return [unnamed(answer)];
  const { parts } = candidate.content;
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : pieces(text)));
  const part = (one: object, more: object = {}): string =>
    unnamed({ ...head, candidates: [{ index: 0, content: { role: 'model', parts: [one] }, ...more }] });
  const calls = parts.filter(({ text }) => text === undefined);
  const last = { index: 0, content: { role: 'model', parts: calls }, finishReason: candidate.finishReason };
  return [...texts.map((text) => part({ text })), unnamed({ ...head, candidates: [last], usageMetadata })];
}

export function streamOf({ wire, body }: SimulatedRequest, answer: Json): string[] {
  if (wire === 'anthropic') return messageEvents(answer);
  if (wire === 'responses') return responseEvents(answer);
  if (wire === 'gemini') return geminiEvents(answer);
  const options = body['stream_options'] as { include_usage?: boolean } | undefined;
  return chatEvents(answer, options?.include_usage === true);
}
