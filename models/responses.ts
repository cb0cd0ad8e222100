import { isJson, type Json, listOf, objectOf, pick, textOf } from '../domain/gateway/json.js';
import { responsesWire } from '../domain/gateway/responses.js';
import type { ModelConfig } from '../domain/model/config.js';
import type { ChatMessage, ModelReply, ModelRequest, ToolCall } from '../domain/model/model.js';
import { responsesUsage } from '../domain/model/reported-usage.js';
import { decodeReasoning, encodeReasoning, type ReturnedReasoning } from '../domain/model/returned-reasoning.js';
import { reasons, samplingFor } from '../domain/model/sampling.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import { priced } from './checked-usage.js';
import { UnusableResponse } from './decoded-body.js';
import { errorInside } from './error-answer.js';
import { dataUri, type ImagesOf, messageImages } from './message-images.js';
import type { ModelSettings } from './model-settings.js';
import { outputLimit } from './output-limit.js';
import { cacheKey } from './prompt-cache-key.js';
import { sendableMessages } from './sendable-messages.js';
import { createWireModel } from './wire-model.js';

/**
 * OpenAI's responses. The provider keeps nothing: reasoning comes encrypted, and goes back.
 * Without the SDK, which fails on answers whose shape is not OpenAI's.
 */
export const createResponsesModel = (settings: ModelSettings): ModelPort =>
  createWireModel(settings, {
    path: () => '/responses',
    body: requestBody,
    reply: replyFrom,
  });

function requestBody(config: ModelConfig, request: ModelRequest): Json {
  const { tools = [] } = request;
  const { effort, extraBody = {} } = config;
  const { temperature, topP } = samplingFor(config, request.sampling);
  const sendable = sendableMessages(request.messages);
  return {
    ...(reasons(config) && { include: ['reasoning.encrypted_content'] }),
    ...extraBody,
    model: config.model,
    input: inputItems(sendable, messageImages(request, sendable)),
    max_output_tokens: outputLimit(config, request),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(effort !== undefined && { reasoning: { ...objectOf(extraBody['reasoning']), effort } }),
    ...cacheKey(config, request),
    ...(tools.length > 0 && {
      // By default the provider would rewrite schemas to its strict form.
      tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
      ...(config.accepts.includes('parallelToolCalls') && { parallel_tool_calls: false }),
    }),
    store: false,
    stream: false,
  };
}

const inputItems = (messages: readonly ChatMessage[], imagesOf: ImagesOf): Json[] =>
  messages.flatMap((message): Json[] => {
    const { role } = message;
    const images = imagesOf(message).map((image): Json => ({ type: 'input_image', image_url: dataUri(image) }));
    const content = images.length === 0 ? message.content : [{ type: 'input_text', text: message.content }, ...images];
    if (role === 'tool') return [{ type: 'function_call_output', call_id: message.toolCallId ?? '', output: content }];
    return message.toolCalls === undefined ? [{ type: 'message', role, content }] : replyItems(message);
  });

/** In the reply's order; without reasoning, as another model's reply. */
function replyItems({ content, toolCalls = [], reasoning }: ChatMessage): Json[] {
  const calls = toolCalls.map(({ id, name, arguments: given }): Json => ({
    ...{ type: 'function_call', call_id: id, name, arguments: given },
  }));
  const texts = content === '' ? [] : [{ type: 'message', role: 'assistant', content }];
  const items = reasoning === undefined ? undefined : decodeReasoning(reasoning)?.items;
  if (items === undefined) return [...texts, ...calls];
  const ordered = items.flatMap((item): Json[] => {
    if (item.type === 'function_call') return calls.splice(0, 1);
    return item.type === 'message' ? texts.splice(0, 1).map((text) => ({ ...text, ...item })) : [item];
  });
  return [...ordered, ...texts, ...calls];
}

/** Without its content a reasoning item is the name of one that the provider did not keep. */
const hasContent = (item: Json): boolean =>
  textOf(item['encrypted_content']) !== '' || listOf(item['content']).length > 0;

function reasoningOf(output: readonly Json[], { provider, model }: ModelConfig): string {
  const items = output.flatMap((item): NonNullable<ReturnedReasoning['items']> => {
    const type = textOf(item['type']);
    if (type === 'function_call') return [{ type }];
    if (type === 'message') return [{ type, ...(textOf(item['phase']) !== '' && pick(item, ['phase'])) }];
    if (type !== 'reasoning' || !hasContent(item)) return [];
    // As it came, but OpenAI refuses keys that are null.
    return [{ type, ...Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) }];
  });
  const says = items.some((item) => item.type === 'reasoning' || 'phase' in item);
  return encodeReasoning({ provider, model, ...(says && { items }) });
}

function replyFrom(
  { data, headers }: { data: unknown; headers: Headers },
  request: ModelRequest,
  config: ModelConfig,
  now: Date,
): ModelReply {
  const failure = isJson(data) ? responsesWire.failure(data) : 'malformed';
  if (!isJson(data) || failure === 'malformed') throw new UnusableResponse('the response is no answer');
  if (failure !== null) throw errorInside(failure, headers);
  const output = listOf(data['output']);
  const reply = responsesWire.reply(data);
  const toolCalls = (reply.toolCalls ?? []).map((call, index): ToolCall => ({
    ...call,
    id: call.id || `call_${index}`,
  }));
  // Nothing, not even a thought, that no limit or fault cut.
  const isEmpty =
    reply.finishReason === 'stop' && reply.text === '' && !output.some(({ type }) => type === 'reasoning');
  return priced(
    {
      text: reply.text,
      finishReason: isEmpty ? 'refusal' : reply.finishReason,
      ...(toolCalls.length > 0 && { toolCalls, reasoning: reasoningOf(output, config) }),
    },
    responsesUsage(data),
    request,
    config,
    now,
  );
}
