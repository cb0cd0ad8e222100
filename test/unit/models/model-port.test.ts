import { createServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAnthropicModel } from '../../../models/anthropic.js';
import { createGeminiModel } from '../../../models/gemini.js';
import type { ModelSettings } from '../../../models/model-settings.js';
import { createOpenAiModel } from '../../../models/openai.js';
import { createResponsesModel } from '../../../models/responses.js';
import { reservationUsd } from '../../../models/reservation.js';
import type { ChatMessage, ModelReply, ModelRequest, ToolCall, ToolDefinition } from '../../../domain/model/model.js';
import { type ModelConfig, modelConfigSchema } from '../../../domain/model/config.js';
import type { ModelPort } from '../../../domain/ports/model-port.js';
import { compareUsd } from '../../../domain/model/price.js';
import { MAX_RETRY_AFTER_MS, ProviderError, type ProviderErrorKind } from '../../../domain/model/provider-error.js';
import { chooseFreePort } from '../../../services/index.js';
import {
  type Fault,
  playPolicy,
  type ProviderSimulator,
  type SimulatedReply,
  startProviderSimulator,
} from '../../fakes/provider-simulator/index.js';

const CANARY = 'sk-canary-0123456789abcdef';
const PROMPT = 'the secret prompt that no error may quote';
const never = new AbortController().signal;

let simulator: ProviderSimulator;
beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: () => ({ kind: 'reply', text: 'hello' }) });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.behave(() => ({ kind: 'reply', text: 'hello' })));

interface Adapter {
  name: string;
  config: ModelConfig;
  create: (settings?: Partial<ModelSettings>) => ModelPort;
}

const configOf = (values: Record<string, unknown>): ModelConfig =>
  modelConfigSchema.parse({
    schema: 1,
    description: 'test',
    contextWindow: 100_000,
    maxOutputTokens: 4000,
    sampling: { temperature: 0.5, maxOutputTokens: 2000 },
    accepts: ['temperature', 'topP', 'parallelToolCalls'],
    prices: [{ from: '2024-01-01', input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 }],
    ...values,
  });

const openAi = configOf({ provider: 'openai', model: 'gpt-4o', apiKeyVariable: 'OPENAI_API_KEY' });
const anthropic = configOf({
  provider: 'anthropic',
  model: 'claude-haiku-4-5',
  apiKeyVariable: 'ANTHROPIC_API_KEY',
  temperatureExcludesTopP: true,
});
const responses = configOf({ ...openAi, api: 'responses' });
const gemini = configOf({
  ...{
    provider: 'gemini',
    model: 'gemini-3-flash',
    apiKeyVariable: 'GEMINI_API_KEY',
    accepts: ['temperature', 'topP'],
  },
});
const compatible = configOf({ provider: 'openai-compatible', model: 'local/model', baseUrlVariable: 'LOCAL_URL' });

const adapters: Adapter[] = [
  {
    name: 'openai',
    config: openAi,
    create: (settings) =>
      createOpenAiModel({ config: openAi, apiKey: CANARY, baseUrl: simulator.openAiBaseUrl, ...settings }),
  },
  {
    name: 'openai-compatible',
    config: compatible,
    create: (settings) =>
      createOpenAiModel({ config: compatible, apiKey: CANARY, baseUrl: simulator.openAiBaseUrl, ...settings }),
  },
  {
    name: 'responses',
    config: responses,
    create: (settings) =>
      createResponsesModel({ config: responses, apiKey: CANARY, baseUrl: simulator.openAiBaseUrl, ...settings }),
  },
  {
    name: 'gemini',
    config: gemini,
    create: (settings) =>
      createGeminiModel({ config: gemini, apiKey: CANARY, baseUrl: simulator.geminiBaseUrl, ...settings }),
  },
  {
    name: 'anthropic',
    config: anthropic,
    create: (settings) =>
      createAnthropicModel({ config: anthropic, apiKey: CANARY, baseUrl: simulator.anthropicBaseUrl, ...settings }),
  },
];

const bash: ToolDefinition = {
  name: 'bash',
  description: 'run a command',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

const requestOf = (config: ModelConfig, values: Partial<ModelRequest> = {}): ModelRequest => ({
  model: { name: 'm', kind: 'real', provider: config.provider, model: config.model, config },
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: PROMPT },
  ],
  sampling: {},
  seed: 7,
  ...values,
});

/** Everything that a log or a history could show of an error. */
const shown = (error: Error): string => `${inspect(error, { depth: 8, showHidden: true })} ${JSON.stringify(error)}`;

/** Raw calls, and what the agent's parser gets of them. */
const GARBAGE: Record<string, [raw: unknown[], parsed: ToolCall[]]> = {
  chat: [
    [{ function: { name: 'bash', arguments: '{"comm' } }, 'nonsense', { id: 5, function: { arguments: { a: 1 } } }],
    [
      { id: 'call_0', name: 'bash', arguments: '{"comm' },
      { id: 'call_1', name: '', arguments: '' },
      { id: 'call_2', name: '', arguments: '{"a":1}' },
    ],
  ],
  responses: [
    [
      { type: 'function_call', name: 'bash', arguments: '{"comm' },
      'nonsense',
      { type: 'function_call', call_id: 5, arguments: { a: 1 } },
    ],
    [
      { id: 'call_0', name: 'bash', arguments: '{"comm' },
      { id: 'call_1', name: '', arguments: '{"a":1}' },
    ],
  ],
  gemini: [
    [{ functionCall: { name: 7, args: 'rm' } }, 'nonsense', { executableCode: {} }],
    [{ id: 'call_0', name: '', arguments: 'rm' }],
  ],
  anthropic: [
    [{ type: 'tool_use', name: 7, input: 'rm' }, 'nonsense', { type: 'surprise' }],
    [{ id: 'call_0', name: '', arguments: 'rm' }],
  ],
};

describe.each(adapters)('the $name adapter', ({ name, config, create }) => {
  const ask = (values: Partial<ModelRequest> = {}, settings: Partial<ModelSettings> = {}): Promise<ModelReply> =>
    create(settings).complete(requestOf(config, values), never);

  async function failure(fault: Fault, settings: Partial<ModelSettings> = {}): Promise<ProviderError> {
    simulator.behave(() => fault);
    try {
      await ask({}, settings);
    } catch (error) {
      expect(error).toBeInstanceOf(ProviderError);
      expect(shown(error as Error)).not.toContain(CANARY);
      expect(shown(error as Error)).not.toContain(PROMPT);
      return error as ProviderError;
    }
    throw new Error(`${fault.kind} brought a reply`);
  }
  const answering = (reply: Omit<SimulatedReply, 'kind'>): Promise<ModelReply> => {
    simulator.behave(() => ({ kind: 'reply', ...reply }));
    return ask();
  };

  it('returns the text, the true usage and the cost that the provider will bill', async () => {
    // Gemini bills what it stores by time.
    const [cacheWriteTokens, costUsd] = name === 'gemini' ? [0, '0.00098'] : [200, '0.00103'];
    const usage = { inputTokens: 1000, cachedTokens: 300, cacheWriteTokens, outputTokens: 50, reasoningTokens: 20 };
    simulator.behave(() => ({ kind: 'reply', text: 'hello', usage }));
    const reply = await ask({ callId: 'r-1/3/0/1' });
    expect(reply).toEqual({
      text: 'hello',
      finishReason: 'stop',
      ...{ usage, costUsd },
    });
    expect(simulator.bill.entries.at(-1)).toMatchObject({ key: CANARY, callId: 'r-1/3/0/1', costUsd });
  });

  it('sends the system message, the turns and the parameters that the model accepts', async () => {
    await ask({ sampling: { topP: 0.9, maxOutputTokens: 100 } });
    const { messages, body } = simulator.requests.at(-1)!;
    expect(messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: PROMPT },
    ]);
    const given = (name === 'gemini' ? body['generationConfig'] : body) as Record<string, unknown>;
    expect([simulator.requests.at(-1)!.model, given['top_p'] ?? given['topP']]).toEqual([config.model, 0.9]);
    expect(given['temperature']).toBe(config.temperatureExcludesTopP ? undefined : 0.5);
    const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
    expect(limits.map((key) => given[key]).filter((limit) => limit !== undefined)).toEqual([100]);
    expect(given).not.toHaveProperty('seed');
  });

  it('sends no parameter that a reasoning model refuses', async () => {
    const model = { anthropic: 'claude-sonnet-5-5', gemini: 'gemini-3-pro' }[name] ?? 'gpt-5';
    const reasoning: ModelConfig = { ...config, model, accepts: [], effort: 'low' };
    const request = { ...requestOf(reasoning), sampling: { temperature: 1, topP: 0.5 } };
    if (config.provider === 'openai-compatible') return;
    expect(await create({ config: reasoning }).complete(request, never)).toMatchObject({ text: 'hello' });
    expect(JSON.stringify(simulator.requests.at(-1)!.body)).toMatch(/"((reasoning_)?effort|thinkingLevel)":"low"/);
  });

  it('sends nothing that a strict provider refuses: blank messages, users in a row, mangled tool calls, lone surrogates', async () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: '' },
      { role: 'user', content: 'cut \ud83d' },
      { role: 'assistant', content: '  ' },
      { role: 'user', content: ' \n' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'bash', arguments: '{"command":' },
          { id: 'a', name: 'no such name!', arguments: '' },
          { id: '', name: '', arguments: '[1]' },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: '' },
      { role: 'tool', toolCallId: 'nobody', content: 'an orphan' },
      { role: 'user', content: 'next' },
    ];
    expect(await ask({ messages, tools: [bash] })).toMatchObject({ text: 'hello' });
    const sent = simulator.requests.at(-1)!;
    expect(JSON.stringify(sent.body)).not.toContain('\\ud83d');
    expect(sent.messages.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual([
      '(no output)',
      '(not executed)',
      '(not executed)',
    ]);
    expect(JSON.stringify(sent.messages)).toContain('an orphan');
  });

  it('maps tools and their calls both ways', async () => {
    const calls = [{ id: 'call_1', name: 'bash', arguments: '{"command":"ls"}' }];
    simulator.behave(() => ({ kind: 'reply', text: 'I look.', toolCalls: calls }));
    const { reasoning, ...reply } = await ask({ tools: [bash] });
    expect(reply).toMatchObject({ text: 'I look.', toolCalls: calls, finishReason: 'tool_calls' });
    const messages: ChatMessage[] = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I look.', toolCalls: calls },
      { role: 'tool', toolCallId: 'call_1', content: 'a.txt' },
    ];
    const [go, look, result] = messages as [ChatMessage, ChatMessage, ChatMessage];
    await ask({ messages: [go, { ...look, reasoning: reasoning ?? '' }, result], tools: [bash] });
    const sent = simulator.requests.at(-1)!;
    expect(sent.messages).toEqual(messages);
    expect(sent.tools).toEqual([bash]);
  });

  it('passes the garbage of a tool call on to the parser of the agent', async () => {
    const [rawToolCalls, toolCalls] = GARBAGE[name] ?? GARBAGE['chat']!;
    expect((await answering({ rawToolCalls })).toolCalls).toEqual(toolCalls);
  });

  it('takes an empty answer, a refusal, a filtered and a cut text as replies of the model', async () => {
    expect(await answering({ empty: true })).toMatchObject({
      ...{ text: '', finishReason: name.startsWith('openai') ? 'empty_choice' : 'refusal' },
    });
    expect(await answering({ text: 'I will not.', finishReason: 'refusal' })).toMatchObject({
      text: 'I will not.',
      finishReason: 'refusal',
    });
    expect(await answering({ text: 'half', finishReason: 'length' })).toMatchObject({
      text: 'half',
      finishReason: 'length',
    });
    const filtered = await answering({ text: 'hal', finishReason: 'content_filter' });
    expect(filtered.finishReason).toBe(/anthropic|gemini/.test(name) ? 'refusal' : 'content_filter');
  });

  it('takes a prompt that the provider filters as an empty reply that costs nothing', async () => {
    simulator.behave(() => ({ kind: 'prompt_filtered' }));
    expect(await ask()).toMatchObject({ text: '', finishReason: 'content_filter', costUsd: '0' });
  });

  it.each<[Fault, ProviderErrorKind]>([
    [{ kind: 'rate_limit' }, 'rate_limited'],
    [{ kind: 'quota' }, 'quota'],
    [{ kind: 'server_error' }, 'server_error'],
    [{ kind: 'server_error', status: 529 }, 'overloaded'],
    [{ kind: 'overloaded' }, 'overloaded'],
    [{ kind: 'cut' }, 'connection_cut'],
    [{ kind: 'cut_in_body' }, 'connection_cut'],
    [{ kind: 'malformed_json' }, 'malformed_response'],
    [{ kind: 'not_json' }, 'not_an_api'],
    [{ kind: 'page' }, 'not_an_api'],
    [{ kind: 'page', status: 404 }, 'unknown_model'],
    [{ kind: 'page', status: 502 }, 'server_error'],
    [{ kind: 'wrong_shape' }, 'malformed_response'],
    [{ kind: 'context_overflow' }, 'context_window'],
    [{ kind: 'unauthorized' }, 'auth'],
    [{ kind: 'forbidden' }, 'permission'],
    [{ kind: 'not_found' }, 'unknown_model'],
    [{ kind: 'bad_request' }, 'bad_request'],
  ])('%j is %s', async (fault, kind) => {
    const error = await failure(fault);
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(config.provider);
    const before = simulator.requests.length;
    await failure(fault);
    expect(simulator.requests.length).toBe(before + 1);
  });

  it.each([
    [502, 'server_error', 'unknown'],
    [504, 'server_error', 'unknown'],
    [520, 'server_error', 'unknown'],
    [524, 'server_error', 'unknown'],
    [500, 'server_error', 'no'],
    [521, 'server_error', 'no'],
    [503, 'overloaded', 'no'],
  ] as const)('status %d is %s, on the bill: %s', async (status, kind, billed) => {
    expect(await failure({ kind: 'server_error', status })).toMatchObject({ status, kind, billed, retryable: true });
  });

  it.each<Fault>([{ kind: 'hang' }, { kind: 'hang_in_body' }])('%j ends as a timeout', async (fault) => {
    const error = await failure(fault, { requestTimeoutMs: 200 });
    expect(error).toMatchObject({ kind: 'timeout', retryable: true });
  });

  it('ends with the reason of its caller when that aborts', async () => {
    simulator.behave(() => ({ kind: 'hang' }));
    const controller = new AbortController();
    const before = simulator.requests.length;
    const pending = create().complete(requestOf(config), controller.signal);
    pending.catch(() => undefined);
    await expect.poll(() => simulator.requests.length, { timeout: 300_000 }).toBe(before + 1);
    const reason = new Error('the worker goes down');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('tells a page in HTML, which bills nothing, from the answer of a provider', async () => {
    expect(await failure({ kind: 'not_json' })).toMatchObject({ billed: 'no', suspectAddress: true });
    expect(await failure({ kind: 'page' })).toMatchObject({ billed: 'no', suspectAddress: true });
    expect(await failure({ kind: 'page', status: 502 })).toMatchObject({ status: 502, suspectAddress: true });
    expect(await failure({ kind: 'server_error', status: 502 })).toMatchObject({ suspectAddress: false });
  });

  it('says when to ask again, in seconds or by a date, and caps it', async () => {
    const now = (): Date => new Date('2026-01-31T12:00:00Z');
    const after = async (retryAfter: string): Promise<number | undefined> =>
      (await failure({ kind: 'rate_limit', retryAfter }, { now })).retryAfterMs;
    expect(await after('7')).toBe(7000);
    expect(await after('Sat, 31 Jan 2026 12:00:30 GMT')).toBe(30_000);
    expect(await after('Sat, 31 Jan 2026 11:00:00 GMT')).toBe(0);
    expect(await after('99999999')).toBe(MAX_RETRY_AFTER_MS);
    expect(await after('soon')).toBeUndefined();
    expect(await after('-5')).toBeUndefined();
    expect((await failure({ kind: 'overloaded', retryAfter: '3' })).retryAfterMs).toBe(3000);
  });

  it('tells a connection that was never made, over which nothing can have been billed', async () => {
    const port = await chooseFreePort(`closed ${process.pid} ${Date.now()}`);
    const plain = config.provider === 'anthropic' ? simulator.anthropicBaseUrl : simulator.openAiBaseUrl;
    const before = simulator.requests.length;
    for (const [baseUrl, code] of [
      [`http://127.0.0.1:${port}`, /ECONNREFUSED/],
      ['http://nobody.invalid', /ENOTFOUND|EAI_AGAIN/],
      // A server that speaks no TLS: the connection stands, but nothing can be asked over it.
      [plain.replace('http:', 'https:'), /EPROTO|ERR_SSL/],
    ] as const) {
      const error: unknown = await ask({}, { baseUrl }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind: 'unreachable', retryable: true, billed: 'no' });
      expect((error as Error).message).toMatch(code);
    }
    expect(simulator.requests.length).toBe(before);
  });

  it('does not take one that breaks after the request went for one that was never made', async () => {
    const reset = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => reset.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = reset.address() as AddressInfo;
      const error: unknown = await ask({}, { baseUrl: `http://127.0.0.1:${port}` }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind: 'connection_cut', retryable: true, billed: 'unknown' });
      expect((error as Error).message).toContain('ECONNRESET');
    } finally {
      await new Promise((resolve) => reset.close(resolve));
    }
  });

  it.each(['missing', 'negative', 'not_a_number', 'enormous'] as const)(
    'counts for itself, and says so, when the count is %s',
    async (usageOnWire) => {
      const reply = await answering({ text: 'hello there', usageOnWire });
      expect(reply.usageProblem).toBeDefined();
      const truth = simulator.bill.entries.at(-1)!;
      expect(truth.delivered).toBe(false);
      expect(reply.usage.inputTokens).toBeGreaterThanOrEqual(truth.usage.inputTokens);
      expect(compareUsd(reply.costUsd, truth.costUsd)).toBeGreaterThanOrEqual(0);
    },
  );

  it('reserves at least what the call then costs', async () => {
    simulator.behave((request) => ({ kind: 'reply', text: `${'word '.repeat(200)}${request.number}` }));
    const request = requestOf(config, { messages: [{ role: 'user', content: 'count 1 2 3 4 { } [ ] '.repeat(300) }] });
    const reply = await create().complete(request, never);
    expect(compareUsd(reservationUsd(config, request, new Date()), reply.costUsd)).toBe(1);
  });

  it('meets the cache of the provider when a conversation grows', async () => {
    const long: ChatMessage[] = [
      { role: 'system', content: 'rules '.repeat(1500) },
      { role: 'user', content: `first, of ${name}` },
    ];
    const first = await ask({ messages: long });
    const second = await ask({
      messages: [...long, { role: 'assistant', content: 'one' }, { role: 'user', content: 'second' }],
    });
    if (config.provider === 'anthropic') expect(first.usage.cacheWriteTokens).toBeGreaterThan(1000);
    expect(second.usage.cachedTokens).toBeGreaterThan(1000);
    expect(second.usageProblem).toBeUndefined();
  });

  it.each([[[]], [[bash]]])('can be played with by the simulator: the optimum, step by step', async (tools) => {
    simulator.behave(playPolicy('optimum'));
    const messages: ChatMessage[] = [{ role: 'user', content: 'play' }];
    const said: string[] = [];
    for (let step = 0; step < 6; step++) {
      const reply = await ask({ messages, tools });
      const [call] = reply.toolCalls ?? [];
      said.push(reply.text + (call?.arguments ?? ''));
      messages.push({ role: 'assistant', content: reply.text, ...(call === undefined ? {} : { toolCalls: [call] }) });
      messages.push(
        call === undefined ? { role: 'user', content: 'done' } : { role: 'tool', content: 'done', toolCallId: call.id },
      );
    }
    expect(said[2]).toContain('row_strategy');
    expect(said[5]).toContain('submit');
  });
});
