import OpenAI from 'openai';
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { z } from 'zod';
import { isJson } from '../domain/gateway/json.js';
import { billedWith, chatFailure } from '../domain/model/failed-answer.js';
import type { ChatMessage, ModelReply, ModelRequest, ToolCall } from '../domain/model/model.js';
import { chatUsage } from '../domain/model/reported-usage.js';
import type { ModelConfig } from '../domain/model/config.js';
import type { ModelPort, Sending } from '../domain/ports/model-port.js';
import { decodeReasoning, encodeReasoning } from '../domain/model/returned-reasoning.js';
import { samplingFor, takesNewOutputKey } from '../domain/model/sampling.js';
import { asProviderError, isContentPolicy } from './as-provider-error.js';
import { boundedCall } from './bounded-call.js';
import { captureCall } from './capture-call.js';
import { errorInside } from './error-answer.js';
import { priced, refusedPrompt } from './checked-usage.js';
import { httpFetch } from './http-fetch.js';
import { keyHeaders } from './key-headers.js';
import { dataUri, type ImagesOf, type MessageImage, messageImages } from './message-images.js';
import { type ModelSettings, quietClient, USUAL_BASE_URL } from './model-settings.js';
import { outputLimit } from './output-limit.js';
import { cacheKey } from './prompt-cache-key.js';
import { sendableMessages } from './sendable-messages.js';
import { withStatedLimits } from './stated-limits.js';

/** Chat completions of OpenAI and compatible servers (vLLM, Ollama, proxies). */
export function createOpenAiModel(settings: ModelSettings): ModelPort {
  const { config, apiKey } = settings;
  const clientOf = (sending: Sending | undefined) =>
    new OpenAI({
      ...quietClient,
      apiKey: apiKey === '' ? 'none' : apiKey,
      baseURL: settings.baseUrl ?? config.baseUrl ?? USUAL_BASE_URL.openai,
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      // Null: none of the SDK's own.
      defaultHeaders: { authorization: null, ...settings.headers, ...keyHeaders(config, apiKey) },
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
      const ask = async (more: Record<string, unknown>) => {
        const asked = { ...body, ...more };
        const bodyBytes = (): number => Buffer.byteLength(JSON.stringify(asked));
        try {
          const { data, response } = await boundedCall(signal, timeout, (bounded) =>
            client.chat.completions
              .create(asked, { signal: bounded, headers, timeout: timeout + 60_000 })
              .withResponse(),
          );
          const reply = replyFrom(answerIn(data, response.headers), request, config, clock());
          return { data, reply: withStatedLimits(reply, response.headers) };
        } catch (error) {
          signal.throwIfAborted();
          if (isContentPolicy(error)) return { data: null, reply: refusedPrompt };
          const { provider, model } = config;
          throw asProviderError(error, { provider, model, apiKey, now: clock(), bodyBytes });
        }
      };
      const { rollout } = request.model;
      if (rollout === undefined) return (await ask({})).reply;
      return captureCall(ask, { asked: rollout.capture, request, body, levels: settings.levels });
    },
  };
}

function requestBody(config: ModelConfig, request: ModelRequest): ChatCompletionCreateParamsNonStreaming {
  const { tools = [] } = request;
  const accepts = (parameter: ModelConfig['accepts'][number]): boolean => config.accepts.includes(parameter);
  const { temperature, topP } = samplingFor(config, request.sampling);
  const most = outputLimit(config, request);
  const sendable = sendableMessages(request.messages);
  return {
    ...config.extraBody,
    model: config.model,
    messages: wireMessages(sendable, messageImages(request, sendable)),
    // Reasoning models accept only the new name, other servers often only the old one.
    ...(takesNewOutputKey(config) ? { max_completion_tokens: most } : { max_tokens: most }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(accepts('seed') ? { [config.dialect === 'mistral' ? 'random_seed' : 'seed']: request.seed } : {}),
    ...cacheKey(config, request),
    ...(config.effort === undefined ? {} : { reasoning_effort: config.effort as 'medium' }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool): ChatCompletionTool => ({ type: 'function', function: { ...tool } })),
          ...(accepts('parallelToolCalls') ? { parallel_tool_calls: request.severalCalls === true } : {}),
        }),
    stream: false,
  };
}

const imageParts = (images: readonly MessageImage[]): ChatCompletionContentPart[] =>
  images.flatMap((image): ChatCompletionContentPart[] => [
    { type: 'text', text: image.mark },
    { type: 'image_url', image_url: { url: dataUri(image) } },
  ]);

/** Some chat templates require alternating turns. */
function addUser(wire: ChatCompletionMessageParam[], content: string, images: readonly MessageImage[]): void {
  const last = wire.at(-1);
  const parts = imageParts(images);
  if (last?.role !== 'user') {
    const texts = content === '' ? [] : [{ type: 'text' as const, text: content }];
    wire.push({ role: 'user', content: parts.length === 0 ? content : [...texts, ...parts] });
  } else if (typeof last.content === 'string' && parts.length === 0) last.content = `${last.content}\n\n${content}`;
  else {
    const before = typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content;
    last.content = [...before, { type: 'text', text: content }, ...parts];
  }
}

/** Results of tools are texts alone: their images follow the last of them, as the user's. */
function wireMessages(messages: readonly ChatMessage[], imagesOf: ImagesOf): ChatCompletionMessageParam[] {
  const wire: ChatCompletionMessageParam[] = [];
  const waiting: MessageImage[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user') addUser(wire, message.content, imagesOf(message));
    else if (message.role === 'tool') {
      wire.push({ role: 'tool', tool_call_id: message.toolCallId ?? '', content: message.content });
      waiting.push(...imagesOf(message));
      if (messages[at + 1]?.role !== 'tool' && waiting.length > 0) addUser(wire, '', waiting.splice(0));
    } else if (message.role === 'assistant' && message.toolCalls !== undefined) {
      const returned = message.reasoning === undefined ? null : decodeReasoning(message.reasoning);
      wire.push({
        ...returned?.message,
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map((call, index) => ({
          ...returned?.calls?.[index],
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      });
    } else wire.push({ role: message.role, content: message.content });
  }
  return wire;
}

const text = z.string().nullish().catch(null);
const partSchema = z.object({ text: z.string() }).loose();
const callSchema = z.object({
  id: z.string().catch(''),
  function: z.object({ name: z.string().catch(''), arguments: z.unknown() }).catch({ name: '', arguments: '' }),
});
const completionSchema = z.object({
  choices: z.array(
    z.object({
      finish_reason: text,
      message: z.looseObject({
        content: z.union([z.string(), z.array(z.unknown())]).nullish(),
        refusal: text,
        tool_calls: z.array(z.unknown()).nullish().catch(null),
      }),
    }),
  ),
  usage: z.unknown().optional(),
  service_tier: z.unknown().optional(),
});
type Completion = z.infer<typeof completionSchema>;

/** Throws ErrorAnswer for an error inside a success. */
function answerIn(data: unknown, headers: Headers): Completion {
  const failed = isJson(data) ? chatFailure(data, billedWith(chatUsage(data))) : null;
  if (failed !== null) throw errorInside(failed, headers);
  return completionSchema.parse(data);
}

function contentText(content: Completion['choices'][number]['message']['content']): string {
  if (typeof content === 'string' || content == null) return content ?? '';
  return content.map((part) => partSchema.safeParse(part).data?.text ?? '').join('');
}

/** However malformed: the agent's parser reports defects to the model. */
function toolCallOf(call: unknown, index: number): ToolCall {
  const parsed = callSchema.safeParse(call).data ?? { id: '', function: { name: '', arguments: '' } };
  const { name, arguments: given } = parsed.function;
  return {
    id: parsed.id === '' ? `call_${index}` : parsed.id,
    name,
    arguments: typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given),
  };
}

/** DeepSeek, Kimi, MiniMax; OpenRouter; LiteLLM for Anthropic; Gemini. */
const RETURNED_OF_MESSAGE = ['reasoning_content', 'reasoning_details', 'thinking_blocks', 'extra_content'];
/** Gemini: `google.thought_signature`. */
const RETURNED_OF_CALL = ['extra_content'];

function pick(from: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = new Map(typeof from === 'object' && from !== null ? Object.entries(from) : []);
  return Object.fromEntries(
    names.map((name) => [name, fields.get(name)] as const).filter(([, value]) => value != null && value !== ''),
  );
}

function reasoningOf(message: Completion['choices'][number]['message'], config: ModelConfig): string {
  const fields = pick(message, RETURNED_OF_MESSAGE);
  const calls = (message.tool_calls ?? []).map((call) => pick(call, RETURNED_OF_CALL));
  return encodeReasoning({
    ...{ provider: config.provider, model: config.model },
    ...(Object.keys(fields).length > 0 && { message: fields }),
    ...(calls.some((call) => Object.keys(call).length > 0) && { calls }),
  });
}

/** An answer of nothing, not even a thought, that no limit or fault cut. */
const isEmpty = ({ message, finish_reason: reason }: Completion['choices'][number]): boolean =>
  reason === 'stop' &&
  contentText(message.content) === '' &&
  (message.tool_calls ?? []).length === 0 &&
  Object.keys(pick(message, [...RETURNED_OF_MESSAGE, 'reasoning'])).length === 0;

/** Mistral distinguishes the window's limit from the answer's. */
const finishReason = (reason: string | null | undefined): string =>
  reason === 'model_length' ? 'length' : (reason ?? 'unknown').slice(0, 40);

function replyFrom(completion: Completion, request: ModelRequest, config: ModelConfig, now: Date): ModelReply {
  const usage = chatUsage(completion);
  const choice = completion.choices[0];
  if (choice === undefined) return priced({ text: '', finishReason: 'empty_choice' }, usage, request, config, now);
  const { message } = choice;
  const content = contentText(message.content);
  const refused = content === '' && typeof message.refusal === 'string' && message.refusal !== '';
  const toolCalls = (message.tool_calls ?? []).map(toolCallOf);
  return priced(
    {
      text: refused ? (message.refusal ?? '') : content,
      finishReason: refused || isEmpty(choice) ? 'refusal' : finishReason(choice.finish_reason),
      ...(toolCalls.length === 0 ? {} : { toolCalls, reasoning: reasoningOf(message, config) }),
    },
    usage,
    request,
    config,
    now,
  );
}
