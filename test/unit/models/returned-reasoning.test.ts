import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMessages } from '../../../domain/agent/messages.js';
import { nextTurn } from '../../../domain/agent/next-turn.js';
import { type ModelConfig, modelConfigSchema } from '../../../domain/model/config.js';
import { estimateTokens } from '../../../domain/model/estimate-tokens.js';
import type { ChatMessage, ModelReply, ModelRef } from '../../../domain/model/model.js';
import { createAnthropicModel } from '../../../models/anthropic.js';
import { createGeminiModel } from '../../../models/gemini.js';
import { createOpenAiModel } from '../../../models/openai.js';
import { createResponsesModel } from '../../../models/responses.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';

interface SentMessage extends Record<string, unknown> {
  role: string;
}

/** Answers each request with the next of its bodies, and keeps what was sent. */
let server: Server;
let answers: unknown[] = [];
let sent: { messages: SentMessage[] }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      sent.push(JSON.parse(Buffer.concat(parts).toString()) as { messages: SentMessage[] });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answers.shift()));
    });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
});
afterAll(() => server.close());

const configOf = (provider: ModelConfig['provider'], model: string): ModelConfig =>
  modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', contextWindow: 100_000, maxOutputTokens: 4000, provider, model },
    ...{ apiKeyVariable: 'KEY', baseUrl: 'http://127.0.0.1:1/v1' },
  });
const refOf = (config: ModelConfig): ModelRef => ({
  ...{ name: 'm', kind: 'real', provider: config.provider, model: config.model, config },
});
const openAi = configOf('openai-compatible', 'some/thinker');
const anthropic = configOf('anthropic', 'claude-opus-4-5');

const run = (config: ModelConfig, tokens?: number) => ({
  task: taskSpec(),
  agent: agentConfig({
    outputParser: 'tool-calls',
    ...(tokens !== undefined && { historyProcessor: 'token-budget' as const, historyProcessorArgs: { tokens } }),
  }),
  maxSteps: 5,
  model: refOf(config),
});

function adapterOf({ provider, api }: ModelConfig) {
  if (provider === 'anthropic') return createAnthropicModel;
  if (provider === 'gemini') return createGeminiModel;
  return api === 'responses' ? createResponsesModel : createOpenAiModel;
}

/** The reply to these messages. */
async function ask(config: ModelConfig, messages: ChatMessage[], answer: unknown): Promise<ModelReply> {
  answers = [answer];
  sent = [];
  const { port } = server.address() as AddressInfo;
  const create = adapterOf(config);
  const model = create({ config, apiKey: 'key', baseUrl: `http://127.0.0.1:${port}/v1` });
  const request = { model: refOf(config), messages, sampling: {}, seed: 1 };
  return model.complete(request, new AbortController().signal);
}

/** A step as it is recorded after this reply. */
function recorded(config: ModelConfig, reply: ModelReply, step = 1) {
  const turn = nextTurn(run(config), [reply]);
  if (turn.kind !== 'action') throw new Error('no action');
  return stepRecord({ step, response: turn.response, reasoning: turn.reasoning ?? null, observation: 'a.py' });
}

/** The replies that a model gets back in the prompt after these steps. */
async function returned(config: ModelConfig, steps: ReturnType<typeof recorded>[]): Promise<SentMessage[]> {
  await ask(config, buildMessages(run(config), steps, '/w'), config.provider === 'anthropic' ? claude([]) : chat({}));
  return (sent[0]?.messages ?? []).filter(({ role }) => role === 'assistant' || role === 'tool');
}

const call = (id: string, more = {}) => ({
  ...{ id, type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
  ...more,
});
const chat = (message: Record<string, unknown>) => ({
  choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, ...message } }],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
});
const claude = (content: unknown[]) => ({
  ...{ type: 'message', role: 'assistant', content, stop_reason: 'tool_use' },
  usage: { input_tokens: 10, output_tokens: 10 },
});
const tool = (id: string) => ({ type: 'tool_use', id, name: 'bash', input: { command: 'ls' } });
const SIGNATURE = 'EqQB'.repeat(100);
const thinking = { type: 'thinking', thinking: 'First I look.', signature: SIGNATURE };
const redacted = { type: 'redacted_thinking', data: SIGNATURE };

describe('chat completions', () => {
  const signed = { extra_content: { google: { thought_signature: SIGNATURE } } };
  it.each<[string, Record<string, unknown>]>([
    ['reasoning_content (DeepSeek, Kimi, MiniMax)', { reasoning_content: 'First I look.' }],
    ['reasoning_details (OpenRouter)', { reasoning_details: [{ type: 'reasoning.encrypted', data: SIGNATURE }] }],
    ["Gemini's signature of a message", signed],
  ])('return %s with the call that it led to, under the id that the provider gave', async (_, fields) => {
    const reply = await ask(openAi, [], chat({ ...fields, tool_calls: [call('functions.bash:0')] }));
    expect(await returned(openAi, [recorded(openAi, reply)])).toMatchObject([
      { ...fields, tool_calls: [{ id: 'functions.bash:0' }] },
      { role: 'tool', tool_call_id: 'functions.bash:0' },
    ]);
  });
  it("return Gemini's signature of a call, with that call", async () => {
    const reply = await ask(openAi, [], chat({ tool_calls: [call('function-call-1', signed)] }));
    const [message] = await returned(openAi, [recorded(openAi, reply)]);
    expect(message).toMatchObject({ tool_calls: [{ id: 'function-call-1', ...signed }] });
  });
  it('return it with a requery too, and never for text alone', async () => {
    const unknown = { ...call('c9'), function: { name: 'browse', arguments: '{}' } };
    const reply = await ask(openAi, [], chat({ reasoning_content: 'hm', tool_calls: [unknown] }));
    const turn = nextTurn(run(openAi), [reply]);
    await ask(openAi, turn.kind === 'ask' ? turn.messages : [], chat({}));
    expect(sent[0]?.messages[0]).toMatchObject({ reasoning_content: 'hm', tool_calls: [{ id: 'c9' }] });
    expect((await ask(openAi, [], chat({ content: 'hello', reasoning_content: 'hm' }))).reasoning).toBeUndefined();
  });
  it('tell apart ids that a server repeats, and make one for a call without any', async () => {
    const steps = [];
    for (const [index, id] of ['call_0', 'call_0', ''].entries())
      steps.push(recorded(openAi, await ask(openAi, [], chat({ tool_calls: [call(id)] })), index + 1));
    const ids = (await returned(openAi, steps)).flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(ids[0]).toBe('call_0');
    expect(new Set(ids).size).toBe(3);
  });
});

describe('responses of OpenAI', () => {
  const responses = modelConfigSchema.parse({ ...configOf('openai', 'gpt-5'), api: 'responses' });
  const output = (...items: unknown[]) => ({
    ...{ object: 'response', status: 'completed', output: items },
    usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
  });
  const look = { type: 'function_call', call_id: 'call_1', name: 'bash', arguments: '{"command":"ls"}' };
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: SIGNATURE };
  const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] };
  async function itemsAfter(...items: unknown[]): Promise<unknown[]> {
    const reply = await ask(responses, [], output(...items));
    await ask(responses, buildMessages(run(responses), [recorded(responses, reply)], '/w'), output());
    const { input } = sent[0] as unknown as { input: { type: string; role?: string }[] };
    return input.filter(({ type, role }) => type !== 'message' || role === 'assistant');
  }
  const result = { type: 'function_call_output', call_id: 'call_1', output: 'a.py' };

  it('get reasoning back as it came, before the call that it led to, and the phase of a text', async () => {
    const items = [
      { ...thought, status: null },
      { ...text, phase: 'commentary' },
      { ...look, id: 'fc_1' },
    ];
    const said = { type: 'message', role: 'assistant', phase: 'commentary', content: 'I look.' };
    expect(await itemsAfter(...items)).toEqual([thought, said, look, result]);
  });
  it('get no name of a reasoning item that the provider did not keep', async () => {
    expect(await itemsAfter({ type: 'reasoning', id: 'rs_2', summary: [] }, look)).toEqual([look, result]);
  });
  it('ask for what a stateless call needs, in the form that the provider takes', async () => {
    await ask({ ...responses, effort: 'low', extraBody: { reasoning: { summary: 'auto' } } }, [], output());
    expect(sent[0]).toMatchObject({
      ...{ store: false, stream: false, include: ['reasoning.encrypted_content'] },
      reasoning: { effort: 'low', summary: 'auto' },
    });
  });
});

describe('generateContent of Gemini', () => {
  const gemini = configOf('gemini', 'gemini-3-flash');
  const content = (...parts: unknown[]) => ({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  });
  const look = { functionCall: { name: 'bash', args: { command: 'ls' } } };
  const signedLook = { ...look, thoughtSignature: SIGNATURE };
  interface SentContent {
    role: string;
    parts: { functionResponse?: unknown }[];
  }
  async function partsAfter(config: ModelConfig, ...steps: ReturnType<typeof recorded>[]): Promise<unknown[]> {
    await ask(config, buildMessages(run(config), steps, '/w'), content({ text: 'done' }));
    const { contents } = sent[0] as unknown as { contents: SentContent[] };
    return contents.flatMap(({ role, parts }) =>
      parts.filter(({ functionResponse }) => role === 'model' || functionResponse !== undefined),
    );
  }
  const result = { functionResponse: { name: 'bash', response: { output: 'a.py' } } };

  it.each<[string, unknown[]]>([
    ['of a call', [signedLook]],
    [
      'of a text, between thoughts',
      [{ text: 'hm', thought: true }, { text: 'I ', thoughtSignature: 'YQ==' }, { text: 'look.' }, signedLook],
    ],
  ])('gets a signature back with its part, %s', async (_, parts) => {
    const reply = await ask(gemini, [], content(...parts));
    expect(await partsAfter(gemini, recorded(gemini, reply))).toEqual([...parts, result]);
  });
  it('gets the ids of calls that have one', async () => {
    const named = { functionCall: { ...look.functionCall, id: 'fc-7' }, thoughtSignature: SIGNATURE };
    const reply = await ask(gemini, [], content(named));
    const answer = { functionResponse: { ...result.functionResponse, id: 'fc-7' } };
    expect(await partsAfter(gemini, recorded(gemini, reply))).toEqual([named, answer]);
  });
  it('gets the word for unsigned calls where another model made them, if it needs one', async () => {
    const step = recorded(openAi, await ask(openAi, [], chat({ tool_calls: [call('c1')] })));
    const unsigned = { ...look, thoughtSignature: 'skip_thought_signature_validator' };
    expect(await partsAfter(gemini, step)).toEqual([unsigned, result]);
    expect(await partsAfter(configOf('gemini', 'gemini-2.5-flash'), step)).toEqual([look, result]);
  });
  it('takes a number for thinking as its budget', async () => {
    const given = { generationConfig: { thinkingConfig: { includeThoughts: true } } };
    await ask({ ...gemini, effort: '-1', extraBody: given }, [], content({ text: 'done' }));
    const thinkingConfig = { includeThoughts: true, thinkingBudget: -1 };
    expect(sent[0]).toMatchObject({ generationConfig: { thinkingConfig } });
  });
});

describe('messages of Anthropic', () => {
  it.each<[string, unknown[]]>([
    ['first', [thinking, redacted, { type: 'text', text: 'I look.' }, tool('toolu_1')]],
    [
      'between its texts',
      [thinking, { type: 'text', text: 'I ' }, thinking, { type: 'text', text: 'look.' }, tool('t')],
    ],
    ['without a text', [redacted, tool('toolu_1')]],
  ])('return thinking as it came, %s', async (_, content) => {
    const reply = await ask(anthropic, [], claude(content));
    const [message] = await returned(anthropic, [recorded(anthropic, reply)]);
    expect(message?.['content']).toEqual(content);
  });
});

describe('reasoning', () => {
  it('is dropped with the ids when another model or provider continues', async () => {
    const reply = await ask(anthropic, [], claude([thinking, tool('toolu_1')]));
    const step = recorded(anthropic, reply);
    const own = 'c00001001';
    for (const other of [configOf('anthropic', 'claude-haiku-4-5'), configOf('openai-compatible', anthropic.model)]) {
      const text = JSON.stringify(await returned(other, [step]));
      expect([text.includes(own), text.includes('toolu_1'), text.includes(SIGNATURE)]).toEqual([true, false, false]);
    }
  });
  it('counts as input, encrypted parts by their length', async () => {
    const reply = await ask(anthropic, [], claude([thinking, tool('toolu_1')]));
    const message: ChatMessage = { role: 'assistant', content: '', toolCalls: reply.toolCalls ?? [] };
    const more = estimateTokens([{ ...message, reasoning: reply.reasoning ?? '' }]) - estimateTokens([message]);
    expect(more).toBeGreaterThanOrEqual(SIGNATURE.length / 4);
    expect(more).toBeLessThan(SIGNATURE.length / 4 + 40);
  });
  it('is the first to go when a prompt must fit a budget of tokens, but for the last reply', async () => {
    const steps = [];
    for (const step of [1, 2])
      steps.push(recorded(anthropic, await ask(anthropic, [], claude([thinking, tool(`toolu_${step}`)])), step));
    const messages = buildMessages(run(anthropic, 100), steps, '/w');
    await ask(anthropic, messages, claude([]));
    const replies = (sent[0]?.messages ?? []).filter(({ role }) => role === 'assistant');
    expect(replies.map(({ content }) => (content as { type: string }[]).map(({ type }) => type))).toEqual([
      ['tool_use'],
      ['thinking', 'tool_use'],
    ]);
  });
});
