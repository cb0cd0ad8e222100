import OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { ChatMessage, ModelReply, ModelRequest, TokenUsage, ToolCall } from '../domain/model/model.js';
import type { ModelConfig } from '../domain/model/config.js';
import type { ModelPort, Sending } from '../domain/ports/model-port.js';
import { samplingFor } from '../domain/model/sampling.js';
import { asProviderError, isContentPolicy } from './as-provider-error.js';
import { boundedCall } from './bounded-call.js';
import { captureCall } from './capture-call.js';
import { priced, refusedPrompt } from './checked-usage.js';
import { httpFetch } from './http-fetch.js';
import { type ModelSettings, quietClient, USUAL_BASE_URL } from './model-settings.js';
import { outputLimit } from './output-limit.js';
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
      defaultHeaders: settings.headers ?? {},
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
        try {
          const asked = { ...body, ...more };
          const { data, response } = await boundedCall(signal, timeout, (bounded) =>
            client.chat.completions
              .create(asked, { signal: bounded, headers, timeout: timeout + 60_000 })
              .withResponse(),
          );
          const reply = replyFrom(completionSchema.parse(data), request, config, clock());
          return { data, reply: withStatedLimits(reply, response.headers) };
        } catch (error) {
          signal.throwIfAborted();
          if (isContentPolicy(error)) return { data: null, reply: refusedPrompt };
          throw asProviderError(error, { provider: config.provider, model: config.model, apiKey, now: clock() });
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
  return {
    ...config.extraBody,
    model: config.model,
    messages: wireMessages(sendableMessages(request.messages)),
    // Reasoning models accept only the new name, other servers often only the old one.
    ...(config.provider === 'openai' ? { max_completion_tokens: most } : { max_tokens: most }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(accepts('seed') ? { seed: request.seed } : {}),
    ...(config.effort === undefined ? {} : { reasoning_effort: config.effort as 'medium' }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool): ChatCompletionTool => ({ type: 'function', function: { ...tool } })),
          ...(accepts('parallelToolCalls') ? { parallel_tool_calls: false } : {}),
        }),
    stream: false,
  };
}

/** Some chat templates require alternating turns. */
function wireMessages(messages: readonly ChatMessage[]): ChatCompletionMessageParam[] {
  const wire: ChatCompletionMessageParam[] = [];
  for (const message of messages) {
    const last = wire.at(-1);
    if (message.role === 'user' && last?.role === 'user')
      last.content = `${last.content as string}\n\n${message.content}`;
    else if (message.role === 'tool')
      wire.push({ role: 'tool', tool_call_id: message.toolCallId ?? '', content: message.content });
    else if (message.role === 'assistant' && message.toolCalls !== undefined)
      wire.push({
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      });
    else wire.push({ role: message.role, content: message.content });
  }
  return wire;
}

const text = z.string().nullish().catch(null);
const count = z.number().catch(Number.NaN);
const partSchema = z.object({ text: z.string() }).loose();
const callSchema = z.object({
  id: z.string().catch(''),
  function: z.object({ name: z.string().catch(''), arguments: z.unknown() }).catch({ name: '', arguments: '' }),
});
const completionSchema = z.object({
  choices: z.array(
    z.object({
      finish_reason: text,
      message: z.object({
        content: z.union([z.string(), z.array(z.unknown())]).nullish(),
        refusal: text,
        tool_calls: z.array(z.unknown()).nullish().catch(null),
      }),
    }),
  ),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: z.number().optional().catch(undefined),
      prompt_tokens_details: z
        .object({ cached_tokens: count.nullish(), cache_write_tokens: count.nullish() })
        .nullish()
        .catch(null),
      completion_tokens_details: z.object({ reasoning_tokens: count.nullish() }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});
type Completion = z.infer<typeof completionSchema>;

function usageOf({ usage }: Completion): TokenUsage | null {
  if (usage == null) return null;
  const reasoningTokens = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  // Some servers count reasoning only in the total.
  const apart = reasoningTokens > 0 && total === input + output + reasoningTokens;
  return {
    inputTokens: input,
    outputTokens: apart ? output + reasoningTokens : output,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWriteTokens: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
    reasoningTokens,
  };
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

function replyFrom(completion: Completion, request: ModelRequest, config: ModelConfig, now: Date): ModelReply {
  const usage = usageOf(completion);
  const choice = completion.choices[0];
  if (choice === undefined) return priced({ text: '', finishReason: 'empty_choice' }, usage, request, config, now);
  const { message } = choice;
  const content = contentText(message.content);
  const refused = content === '' && typeof message.refusal === 'string' && message.refusal !== '';
  const toolCalls = (message.tool_calls ?? []).map(toolCallOf);
  return priced(
    {
      text: refused ? (message.refusal ?? '') : content,
      finishReason: refused ? 'refusal' : (choice.finish_reason ?? 'unknown').slice(0, 40),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    },
    usage,
    request,
    config,
    now,
  );
}
