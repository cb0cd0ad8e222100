import Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsNonStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import { isJson } from '../domain/gateway/json.js';
import { billedWith, messagesFailure } from '../domain/model/failed-answer.js';
import type { ChatMessage, ModelReply, ModelRequest, ToolCall } from '../domain/model/model.js';
import { stabilityOf, withStability } from '../domain/model/prompt-stability.js';
import { messagesUsage } from '../domain/model/reported-usage.js';
import { marksPrompts, type ModelConfig } from '../domain/model/config.js';
import type { ModelPort, Sending } from '../domain/ports/model-port.js';
import { decodeReasoning, encodeReasoning, type ReasoningBlock } from '../domain/model/returned-reasoning.js';
import { samplingFor } from '../domain/model/sampling.js';
import { asProviderError, isContentPolicy } from './as-provider-error.js';
import { boundedCall } from './bounded-call.js';
import { errorInside } from './error-answer.js';
import { priced, refusedPrompt } from './checked-usage.js';
import { httpFetch } from './http-fetch.js';
import { type ImagesOf, type MessageImage, messageImages } from './message-images.js';
import { type ModelSettings, quietClient, USUAL_BASE_URL } from './model-settings.js';
import { outputLimit } from './output-limit.js';
import { sendableMessages } from './sendable-messages.js';
import { withStatedLimits } from './stated-limits.js';
import { argumentsObject } from './tool-arguments.js';

/** Anthropic's messages API, with the stable part of the prompt marked for its cache. */
export function createAnthropicModel(settings: ModelSettings): ModelPort {
  const { config, apiKey } = settings;
  const clientOf = (sending: Sending | undefined) =>
    new Anthropic({
      ...quietClient,
      apiKey,
      baseURL: settings.baseUrl ?? config.baseUrl ?? USUAL_BASE_URL.anthropic,
      webhookKey: null,
      openTelemetry: false,
      fetch: (input, init) => httpFetch(input, init, { sending, publicOnly: settings.publicOnly }),
    });
  const timeout = settings.requestTimeoutMs ?? config.requestTimeoutSeconds * 1000;
  const clock = settings.now ?? (() => new Date());
  return {
    tellsSending: true,
    async complete(request, signal, sending) {
      const body = requestBody(config, request);
      const headers = request.callId === undefined ? {} : { 'X-Client-Request-Id': request.callId };
      const client = clientOf(sending);
      try {
        const { data, response } = await boundedCall(signal, timeout, (bounded) =>
          client.messages.create(body, { signal: bounded, headers, timeout: timeout + 60_000 }).withResponse(),
        );
        const reply = replyFrom(answerIn(data, response.headers), request, config, clock());
        return withStatedLimits(reply, response.headers);
      } catch (error) {
        signal.throwIfAborted();
        if (isContentPolicy(error)) return refusedPrompt;
        const { provider, model } = config;
        const bodyBytes = (): number => Buffer.byteLength(JSON.stringify(body));
        throw asProviderError(error, { provider, model, apiKey, now: clock(), bodyBytes });
      }
    },
  };
}

/** A call within five minutes that begins the same reads all up to the marked block. */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;
const CACHED_FOR_AN_HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;

function requestBody(config: ModelConfig, request: ModelRequest): MessageCreateParamsNonStreaming {
  const { tools = [] } = request;
  const { temperature, topP } = samplingFor(config, request.sampling);
  const sendable = sendableMessages(request.messages);
  const firstTurn = sendable.findIndex((message) => message.role !== 'system');
  const [first, rest] = firstTurn === -1 ? [sendable, []] : [sendable.slice(0, firstTurn), sendable.slice(firstTurn)];
  const system = first.map((message): TextBlockParam => ({ type: 'text', text: message.content }));
  const messages = wireMessages(rest, messageImages(request, rest));
  if (marksPrompts(config))
    markForCache(system, messages, request.cacheForAnHour === true ? CACHED_FOR_AN_HOUR : CACHED);
  return {
    ...config.extraBody,
    model: config.model,
    max_tokens: outputLimit(config, request),
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(config.effort === undefined ? {} : { output_config: { effort: config.effort as 'medium' } }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool): Tool => ({
            name: tool.name,
            description: tool.description,
            input_schema: tool.parameters as Tool['input_schema'],
          })),
          tool_choice: {
            type: 'auto',
            ...(config.accepts.includes('parallelToolCalls') && request.severalCalls !== true
              ? { disable_parallel_tool_use: true }
              : {}),
          },
        }),
    stream: false,
  };
}

/** In the reply's order, with its thinking, which comes first where the text was shortened. */
function replyBlocks({ content, toolCalls = [], reasoning }: ChatMessage): ContentBlockParam[] {
  const texts = content === '' ? [] : [{ type: 'text' as const, text: content }];
  const calls = toolCalls.map((call): ContentBlockParam => ({
    ...{ type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call.arguments) },
  }));
  const places = (reasoning === undefined ? null : decodeReasoning(reasoning))?.blocks ?? [];
  const thinking = (block: ReasoningBlock): boolean => block.type !== 'text' && block.type !== 'tool_use';
  const length = places.reduce((sum, block) => sum + (block.type === 'text' ? Number(block.length) : 0), 0);
  const isWhole = length === content.length && places.filter(({ type }) => type === 'tool_use').length === calls.length;
  if (!isWhole) return [...(places.filter(thinking) as unknown as ContentBlockParam[]), ...texts, ...calls];
  let at = 0;
  return places.flatMap((block): ContentBlockParam[] => {
    if (block.type === 'tool_use') return calls.splice(0, 1);
    if (block.type !== 'text') return [block as unknown as ContentBlockParam];
    const text = content.slice(at, (at += Number(block.length)));
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  });
}

const imageBlock = ({ type, base64 }: MessageImage): ImageBlockParam => ({
  ...{ type: 'image', source: { type: 'base64', media_type: type, data: base64 } },
});

/** Turns alternate and begin with the user; results of tools come first in theirs. */
function wireMessages(messages: readonly ChatMessage[], imagesOf: ImagesOf): MessageParam[] {
  const turns: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = message.role === 'assistant' ? replyBlocks(message) : [];
    const images = imagesOf(message).map(imageBlock);
    const texts: TextBlockParam[] = [{ type: 'text', text: message.content }];
    if (message.role === 'tool') {
      const content = images.length === 0 ? message.content : [...texts, ...images];
      blocks.push({ type: 'tool_result', tool_use_id: message.toolCallId ?? '', content });
    } else if (role === 'user' && message.content !== '') blocks.push(...texts, ...images);
    for (const block of blocks) withStability(block, stabilityOf(message));
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [{ type: 'text', text: '(begin)' }] });
  return turns;
}

/**
 * Up to four marks: the system message, which a task's runs share; the task; the last observation
 * that the agent's history left out; the last user message. Of these, what the next prompt has too:
 * writing to the cache costs more than sending.
 */
function markForCache(
  system: TextBlockParam[],
  messages: MessageParam[],
  mark: typeof CACHED | typeof CACHED_FOR_AN_HOUR,
): void {
  const turns = messages.filter(({ role }) => role === 'user').map(({ content }) => content as ContentBlockParam[]);
  const leaving = turns.findIndex((blocks) => blocks.some((block) => stabilityOf(block) === 'leaves'));
  const stable = leaving === -1 ? turns : turns.slice(0, leaving);
  const settled = stable.findLast((blocks) => blocks.some((block) => stabilityOf(block) === 'settled'));
  const marked = [system, stable[0], settled, stable.at(-1)].map((blocks) => blocks?.at(-1));
  for (const block of new Set(marked)) if (block !== undefined) Object.assign(block, mark);
}

const blockSchema = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().catch(''),
    name: z.string().catch(''),
    input: z.unknown(),
  }),
  z.looseObject({ type: z.enum(['thinking', 'redacted_thinking']) }),
  z.object({ type: z.string() }).transform(() => null),
  z.unknown().transform(() => null),
]);
const messageSchema = z.object({
  content: z.array(blockSchema),
  stop_reason: z.string().nullish().catch(null),
  usage: z.unknown().optional(),
});
type Message = z.infer<typeof messageSchema>;

/** Throws ErrorAnswer for an error inside a success. */
function answerIn(data: unknown, headers: Headers): Message {
  const failed = isJson(data) ? messagesFailure(data, billedWith(messagesUsage(data))) : null;
  if (failed !== null) throw errorInside(failed, headers);
  return messageSchema.parse(data);
}

const FINISH_REASONS = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
]);

function reasoningOf({ content }: Message, { provider, model }: ModelConfig): string {
  const blocks = content.flatMap((block): ReasoningBlock[] => {
    if (block === null) return [];
    if (block.type === 'text') return [{ type: 'text', length: block.text.length }];
    return block.type === 'tool_use' ? [{ type: 'tool_use' }] : [block];
  });
  const thinks = blocks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  return encodeReasoning({ provider, model, ...(thinks && { blocks }) });
}

function replyFrom(message: Message, request: ModelRequest, config: ModelConfig, now: Date): ModelReply {
  const texts: string[] = [];
  const toolCalls: ToolCall[] = [];
  for (const block of message.content) {
    if (block === null) continue;
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'tool_use')
      toolCalls.push({
        id: block.id === '' ? `call_${toolCalls.length}` : block.id,
        name: block.name,
        arguments: typeof block.input === 'string' ? block.input : JSON.stringify(block.input ?? {}),
      });
  }
  const stop = (message.stop_reason ?? 'unknown').slice(0, 40);
  const empty = message.content.length === 0 && FINISH_REASONS.get(stop) !== 'length';
  return priced(
    {
      text: texts.join(''),
      finishReason: empty ? 'refusal' : (FINISH_REASONS.get(stop) ?? stop),
      ...(toolCalls.length === 0 ? {} : { toolCalls, reasoning: reasoningOf(message, config) }),
    },
    messagesUsage(message),
    request,
    config,
    now,
  );
}
