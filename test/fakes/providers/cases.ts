import type { ProgramClient } from '../../../domain/agent/program.js';
import type { TokenUsage } from '../../../domain/model/model.js';
import type { ProviderErrorKind } from '../../../domain/model/provider-error.js';
import { GEMINI_CASES } from './gemini-cases.js';
import type { ScriptedAnswer } from './server.js';

/** The right outcome of a call. */
export type Right =
  /** A reply with these counts at this price. */
  | { kind: 'reply'; usage: Partial<TokenUsage>; usd: string; finish?: string; text?: string }
  /** A reply whose counts cannot be used: it costs what was reserved. */
  | { kind: 'usage_problem'; says: RegExp }
  | { kind: ProviderErrorKind; costs: 'nothing' | 'the reservation'; says?: RegExp };

export interface ProviderCase {
  name: string;
  wire: ProgramClient;
  /** Of the model's file. */
  dialect?: 'azure' | 'mistral' | 'openrouter';
  answer: ScriptedAnswer;
  right: Right;
}

/** Dollars per million tokens of every model of the zoo. */
export const PRICES = {
  ...{ from: '2024-01-01', input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
  tiers: { priority: { input: 2, output: 10 }, flex: { input: 0.5, output: 2.5 } },
} as const;

const context: Right = { kind: 'context_window', costs: 'nothing' };
const overflow = (name: string, body: unknown, status = 400, wire: ProgramClient = 'openai-chat'): ProviderCase => ({
  ...{ name: `context overflow: ${name}`, wire, answer: { status, body }, right: context },
});

const MAXIMUM = "This model's maximum context length is 8192 tokens. However, you requested 9200 tokens.";
const NGINX = `<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx/1.27.0</center>\r\n</body>\r\n</html>\r\n`;

const OVERFLOWS: ProviderCase[] = [
  overflow('OpenAI', {
    error: { message: MAXIMUM, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
  }),
  overflow('llama.cpp', {
    error: {
      ...{ code: 400, message: 'the request exceeds the available context size, try increasing it' },
      ...{ type: 'exceed_context_size_error', n_prompt_tokens: 9200, n_ctx: 8192 },
    },
  }),
  overflow('vLLM, old', { object: 'error', message: MAXIMUM, type: 'BadRequestError', param: null, code: 400 }),
  overflow('vLLM, the answer does not fit', {
    object: 'error',
    message: "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model has 8192 tokens.",
    ...{ type: 'BadRequestError', param: null, code: 400 },
  }),
  overflow('SGLang', {
    ...{ object: 'error', type: 'BadRequestError', param: null, code: 400 },
    message: "The input (9200 tokens) is longer than the model's context length (8192 tokens).",
  }),
  overflow('Gemini, in a list', [
    {
      error: {
        ...{ code: 400, status: 'INVALID_ARGUMENT' },
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
  ]),
  overflow(
    'TGI',
    {
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 and 512',
      error_type: 'validation',
    },
    422,
  ),
  overflow('xAI', {
    code: 'Client specified an invalid argument',
    error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  }),
  overflow('FastAPI', { detail: MAXIMUM }),
  overflow('FastAPI, validation', { detail: [{ loc: ['body'], msg: MAXIMUM, type: 'value_error' }] }, 422),
  overflow('OpenRouter, words of the upstream', {
    error: {
      ...{ message: 'Provider returned error', code: 400 },
      metadata: { raw: JSON.stringify({ object: 'error', message: MAXIMUM }), provider_name: 'Upstream' },
    },
  }),
  overflow('OpenRouter, inside a success', { error: { message: MAXIMUM, code: 400 } }, 200),
  overflow(
    'Anthropic',
    { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000' } },
    ...([400, 'anthropic'] as const),
  ),
  overflow(
    'Anthropic, by bytes',
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    ...([413, 'anthropic'] as const),
  ),
  overflow("a proxy of Anthropic's wire", { detail: MAXIMUM }, 400, 'anthropic'),
];

const refusedByProxy = (name: string, wire: ProgramClient, answer: ScriptedAnswer): ProviderCase => ({
  ...{ name: `a proxy refuses the body: ${name}`, wire, answer: { status: 413, ...answer } },
  right: { kind: 'body_too_large', costs: 'nothing', says: /refuses its size.*a body of \d+ bytes/ },
});

const OTHER_REFUSALS: ProviderCase[] = [
  refusedByProxy('nginx', 'openai-chat', { headers: { 'content-type': 'text/html' }, body: NGINX }),
  refusedByProxy('nginx', 'anthropic', { headers: { 'content-type': 'text/html' }, body: NGINX }),
  refusedByProxy('Kong', 'openai-chat', { body: { message: 'Request size limit exceeded' } }),
  {
    name: 'an answer that is too long for the model is a wrong setting, and no overflow',
    wire: 'openai-chat',
    answer: {
      status: 400,
      body: {
        error: { message: 'max_tokens is too large: 9000. This model supports at most 4096 completion tokens.' },
      },
    },
    right: { kind: 'bad_request', costs: 'nothing' },
  },
  {
    name: 'a request above the rate limit of its account is no overflow',
    wire: 'openai-chat',
    answer: {
      status: 413,
      body: { error: { message: 'Request too large: limit 6000, requested 8001', code: 'rate_limit_exceeded' } },
    },
    right: { kind: 'bad_request', costs: 'nothing' },
  },
  {
    name: 'a model of vLLM without images is no overflow',
    wire: 'openai-chat',
    answer: {
      status: 400,
      body: { object: 'error', message: 'At most 0 image(s) may be provided in one prompt.', type: 'BadRequestError' },
    },
    right: { kind: 'bad_request', costs: 'nothing' },
  },
  {
    name: 'an image above the limit is no overflow',
    wire: 'anthropic',
    answer: {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
        },
      },
    },
    right: { kind: 'bad_request', costs: 'nothing' },
  },
];

/** Counts as most servers give them. */
const USUAL = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const choice = (message: object = { role: 'assistant', content: 'hello' }, finish: string | null = 'stop') => ({
  ...{ index: 0, message, finish_reason: finish },
});
const completion = (usage: unknown, more: object = {}) => ({
  ...{ id: 'c1', object: 'chat.completion', created: 1_700_000_000, model: 'the-model' },
  ...{ choices: [choice()], usage, ...more },
});

const inside = (name: string, wire: ProgramClient, body: unknown, right: Right): ProviderCase => ({
  ...{ name: `inside a success: ${name}`, wire, answer: { body }, right },
});
const lost: Right = { kind: 'server_error', costs: 'nothing' };
const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const LOST = {
  ...choice({ role: 'assistant', content: '' }, 'error'),
  error: { code: 502, message: 'Upstream error' },
};

const INSIDE: ProviderCase[] = [
  inside(
    'OpenRouter, rate limit',
    'openai-chat',
    { error: { message: 'Rate limit exceeded: free-models-per-min.', code: 429 } },
    { kind: 'rate_limited', costs: 'nothing' },
  ),
  inside('OpenRouter, upstream lost', 'openai-chat', completion(NO_TOKENS, { choices: [LOST] }), lost),
  inside(
    'OpenRouter, upstream lost, no code',
    'openai-chat',
    completion(null, { choices: [choice({}, 'error')] }),
    lost,
  ),
  inside(
    'OpenRouter, upstream lost after a part',
    'openai-chat',
    completion(USUAL, { choices: [{ ...LOST, message: { role: 'assistant', content: 'half of' } }] }),
    { kind: 'server_error', costs: 'the reservation' },
  ),
  inside('9router, no choices', 'openai-chat', { id: 'c1', object: 'chat.completion', choices: null }, lost),
  inside('an error that is a word', 'openai-chat', { error: 'upstream unavailable' }, lost),
  inside(
    'a refused key',
    'openai-chat',
    { error: { message: 'User not found.', code: 401 } },
    {
      ...{ kind: 'auth', costs: 'nothing' },
    },
  ),
  inside(
    'overloaded',
    'anthropic',
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { kind: 'overloaded', costs: 'nothing' },
  ),
  inside(
    'a failed response',
    'openai-responses',
    {
      ...{ id: 'r1', object: 'response', status: 'failed', output: [], usage: null },
      error: { code: 'server_error', message: 'The server had an error' },
    },
    lost,
  ),
  inside('another shape', 'openai-chat', { data: 'hello' }, { kind: 'malformed_response', costs: 'the reservation' }),
  inside('another shape', 'anthropic', { data: 'hello' }, { kind: 'malformed_response', costs: 'the reservation' }),
  inside('no JSON', 'openai-chat', 'hello', { kind: 'malformed_response', costs: 'the reservation' }),
];

const counted = (name: string, usage: unknown, right: Right, more: object = {}): ProviderCase => ({
  ...{ name: `usage: ${name}`, wire: 'openai-chat', answer: { body: completion(usage, more) }, right },
});
const reply = (usd: string, usage: Partial<TokenUsage>): Right => ({ kind: 'reply', usd, usage });
const message = (usage: object) => ({
  ...{ id: 'm1', type: 'message', role: 'assistant', model: 'the-model', content: [{ type: 'text', text: 'hello' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage },
});
const response = (usage: object, more: object = {}) => ({
  ...{ id: 'r1', object: 'response', status: 'completed', error: null, usage },
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] }],
  ...more,
});

const COUNTED: ProviderCase[] = [
  counted('as usual', USUAL, reply('0.0015', { inputTokens: 1000, outputTokens: 100 })),
  counted(
    'Gemini, thoughts only in the total',
    { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 9100 },
    reply('0.0415', { outputTokens: 8100, reasoningTokens: 8000 }),
  ),
  counted(
    'xAI, reasoning beside the completion',
    { ...USUAL, total_tokens: 1400, completion_tokens_details: { reasoning_tokens: 300 } },
    reply('0.003', { outputTokens: 400, reasoningTokens: 300 }),
  ),
  counted(
    'OpenAI, reasoning within the completion',
    { ...USUAL, completion_tokens_details: { reasoning_tokens: 80 } },
    reply('0.0015', { outputTokens: 100, reasoningTokens: 80 }),
  ),
  counted('Kimi', { ...USUAL, cached_tokens: 600 }, reply('0.00096', { cachedTokens: 600 })),
  counted(
    'DeepSeek',
    { ...USUAL, prompt_cache_hit_tokens: 600, prompt_cache_miss_tokens: 400 },
    reply('0.00096', { cachedTokens: 600 }),
  ),
  counted(
    'OpenAI, cached tokens',
    { ...USUAL, prompt_tokens_details: { cached_tokens: 600 } },
    reply('0.00096', { cachedTokens: 600 }),
  ),
  counted('without a total', { ...USUAL, total_tokens: undefined }, reply('0.0015', { outputTokens: 100 })),
  counted('a total of nothing', { ...USUAL, total_tokens: 0 }, reply('0.0015', { outputTokens: 100 })),
  counted('the list price by another name', USUAL, reply('0.0015', {}), { service_tier: 'default' }),
  counted('priority', USUAL, reply('0.003', { outputTokens: 100 }), { service_tier: 'priority' }),
  counted('flex', USUAL, reply('0.00075', { outputTokens: 100 }), { service_tier: 'flex' }),
  counted(
    'a tier without a price',
    USUAL,
    { kind: 'usage_problem', says: /prices has no tiers\.batch/ },
    {
      service_tier: 'batch',
    },
  ),
  counted('none', undefined, { kind: 'usage_problem', says: /no token counts/ }),
  counted('a total below its parts', { ...USUAL, total_tokens: 900 }, { kind: 'usage_problem', says: /do not add up/ }),
  counted(
    'more reasoning than was generated',
    { ...USUAL, completion_tokens_details: { reasoning_tokens: 300 } },
    { kind: 'usage_problem', says: /exceeds the whole/ },
  ),
  counted('a text', { ...USUAL, prompt_tokens: '1000' }, { kind: 'usage_problem', says: /natural number/ }),
  {
    name: 'usage: Anthropic, cache reads and writes apart',
    wire: 'anthropic',
    answer: {
      body: message({
        ...{ input_tokens: 100, cache_read_input_tokens: 600, cache_creation_input_tokens: 300, output_tokens: 100 },
        service_tier: 'standard',
      }),
    },
    right: reply('0.001035', { inputTokens: 1000, cachedTokens: 600, cacheWriteTokens: 300 }),
  },
  {
    name: 'usage: Anthropic, a part of the writes for an hour',
    wire: 'anthropic',
    answer: {
      body: message({
        ...{ input_tokens: 100, cache_read_input_tokens: 600, cache_creation_input_tokens: 300, output_tokens: 100 },
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      }),
    },
    // At twice the price of input.
    right: reply('0.001185', {
      ...{ inputTokens: 1000, cachedTokens: 600, cacheWriteTokens: 300, cacheWriteHourTokens: 200 },
    }),
  },
  {
    name: 'usage: Anthropic, more writes for an hour than writes',
    wire: 'anthropic',
    answer: {
      body: message({
        ...{ input_tokens: 100, cache_creation_input_tokens: 300, output_tokens: 100 },
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 400 },
      }),
    },
    right: { kind: 'usage_problem', says: /exceeds the whole/ },
  },
  {
    name: 'usage: Anthropic, priority',
    wire: 'anthropic',
    answer: { body: message({ input_tokens: 1000, output_tokens: 100, service_tier: 'priority' }) },
    right: reply('0.003', { inputTokens: 1000 }),
  },
  {
    name: 'usage: responses, thoughts only in the total',
    wire: 'openai-responses',
    answer: { body: response({ input_tokens: 1000, output_tokens: 100, total_tokens: 9100 }) },
    right: reply('0.0415', { outputTokens: 8100 }),
  },
  {
    name: 'usage: responses, flex',
    wire: 'openai-responses',
    answer: {
      body: response({ input_tokens: 1000, output_tokens: 100, total_tokens: 1100 }, { service_tier: 'flex' }),
    },
    right: reply('0.00075', { outputTokens: 100 }),
  },
];

const OF_RESPONSES = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 };
const answered = (name: string, more: object, right: Partial<Right>): ProviderCase => ({
  ...{ name: `an answer: ${name}`, wire: 'openai-responses', answer: { body: response(OF_RESPONSES, more) } },
  right: { kind: 'reply', usd: '0.0015', usage: { outputTokens: 100 }, ...right } as Right,
});
const assistant = (...content: object[]) => ({ type: 'message', role: 'assistant', content });

const RESPONSES: ProviderCase[] = [
  overflow(
    'responses',
    { error: { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' } },
    ...([400, 'openai-responses'] as const),
  ),
  inside(
    'another shape',
    'openai-responses',
    { output: 'hello' },
    { kind: 'malformed_response', costs: 'the reservation' },
  ),
  inside(
    'a failed response after a part',
    'openai-responses',
    { ...response(OF_RESPONSES, { status: 'failed' }), error: { code: 'server_error', message: 'lost' } },
    { kind: 'server_error', costs: 'the reservation' },
  ),
  answered('complete', {}, { finish: 'stop' }),
  answered(
    'cut by the output limit',
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    { finish: 'length' },
  ),
  answered(
    'cut by the content filter',
    { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    { finish: 'content_filter' },
  ),
  answered(
    'a refusal',
    { output: [assistant({ type: 'refusal', refusal: 'I will not.' })] },
    { finish: 'refusal', text: 'I will not.' },
  ),
  answered(
    'reasoning before the text',
    {
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
        assistant({ type: 'output_text', text: 'hello' }),
      ],
      usage: {
        ...OF_RESPONSES,
        input_tokens_details: { cached_tokens: 600 },
        output_tokens_details: { reasoning_tokens: 80 },
      },
    },
    { usd: '0.00096', usage: { cachedTokens: 600, reasoningTokens: 80 } },
  ),
];

const OF_GEMINI = { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 };
const candidate = (more: object = {}) => ({
  ...{ index: 0, content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP', ...more },
});
const gemini = (name: string, body: object, right: Partial<Right> = {}): ProviderCase => ({
  ...{ name: `Gemini: ${name}`, wire: 'gemini' },
  answer: { body: { candidates: [candidate()], usageMetadata: OF_GEMINI, modelVersion: 'the-model', ...body } },
  right: { kind: 'reply', usd: '0.0015', usage: { outputTokens: 100 }, ...right } as Right,
});
const googleError = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, details },
});
const geminiError = (name: string, body: ReturnType<typeof googleError>, kind: ProviderErrorKind): ProviderCase => ({
  ...{ name: `Gemini: ${name}`, wire: 'gemini', answer: { status: body.error.code, body } },
  right: { kind, costs: 'nothing' },
});

const routed = (name: string, more: object, right: Right): ProviderCase => ({
  ...counted(`OpenRouter, ${name}`, { ...USUAL, ...more }, right),
  dialect: 'openrouter',
});

const DIALECTS: ProviderCase[] = [
  routed('its own cost', { cost: 0.00042 }, reply('0.00042', { outputTokens: 100 })),
  routed('a free model', { cost: 0 }, reply('0', {})),
  routed(
    "by a key of one's own",
    { cost: 0.00002, is_byok: true, cost_details: { upstream_inference_cost: 0.0004 } },
    reply('0.00042', {}),
  ),
  routed('without a cost', {}, reply('0.0015', {})),
  routed('a cost that is none', { cost: -1 }, { kind: 'usage_problem', says: /charged cost is no amount/ }),
  counted('a cost of another server', { ...USUAL, cost: 0.00042 }, reply('0.0015', {})),
  {
    ...{ name: 'Azure: content filter of an answer', wire: 'openai-chat', dialect: 'azure' },
    answer: { body: completion(USUAL, { choices: [choice(undefined, 'content_filter')] }) },
    right: { kind: 'reply', usd: '0.0015', usage: {}, finish: 'content_filter' },
  },
  {
    ...{ name: 'Azure: no such deployment', wire: 'openai-chat', dialect: 'azure' },
    answer: {
      status: 404,
      body: { error: { code: 'DeploymentNotFound', message: 'The API deployment is not there.' } },
    },
    right: { kind: 'unknown_model', costs: 'nothing' },
  },
  {
    ...{ name: 'Mistral: thinking in parts', wire: 'openai-chat', dialect: 'mistral' },
    answer: {
      body: completion(USUAL, {
        choices: [
          choice({
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
              { type: 'text', text: 'hello' },
            ],
          }),
        ],
      }),
    },
    right: { kind: 'reply', usd: '0.0015', usage: {} },
  },
  {
    ...{ name: 'Mistral: context overflow', wire: 'openai-chat', dialect: 'mistral' },
    answer: {
      status: 400,
      body: {
        ...{ object: 'error', type: 'invalid_request_error', param: null, code: '3051' },
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      },
    },
    right: context,
  },
  {
    ...{ name: 'Mistral: a message that is an object', wire: 'openai-chat', dialect: 'mistral' },
    answer: {
      status: 422,
      body: { object: 'error', message: { detail: [{ type: 'extra_forbidden', msg: 'Extra inputs', loc: ['seed'] }] } },
    },
    right: { kind: 'bad_request', costs: 'nothing', says: /extra_forbidden/ },
  },
  {
    ...{ name: 'xAI: a wrong key', wire: 'openai-chat' },
    answer: {
      status: 400,
      body: {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***. See console.x.ai.',
      },
    },
    right: { kind: 'auth', costs: 'nothing' },
  },
];

const GEMINI: ProviderCase[] = [
  gemini('complete', {}, { finish: 'stop' }),
  gemini(
    'thoughts and cached content',
    {
      candidates: [
        candidate({ content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'hello' }] } }),
      ],
      usageMetadata: { ...OF_GEMINI, thoughtsTokenCount: 300, cachedContentTokenCount: 600, totalTokenCount: 1400 },
    },
    { usd: '0.00246', usage: { cachedTokens: 600, outputTokens: 400, reasoningTokens: 300 } },
  ),
  gemini(
    'thoughts only in the total',
    { usageMetadata: { ...OF_GEMINI, totalTokenCount: 9100 } },
    { usd: '0.0415', usage: { outputTokens: 8100, reasoningTokens: 8000 } },
  ),
  gemini('priority', { usageMetadata: { ...OF_GEMINI, serviceTier: 'priority' } }, { usd: '0.003' }),
  gemini('cut by the output limit', { candidates: [candidate({ finishReason: 'MAX_TOKENS' })] }, { finish: 'length' }),
  gemini('a safety block', { candidates: [candidate({ finishReason: 'SAFETY' })] }, { finish: 'refusal' }),
  gemini(
    'a block without content',
    { candidates: [{ index: 0, finishReason: 'PROHIBITED_CONTENT' }] },
    { finish: 'refusal', text: '' },
  ),
  gemini(
    'a prompt that is blocked',
    {
      candidates: undefined,
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 1000, totalTokenCount: 1000 },
    },
    { finish: 'refusal', text: '', usd: '0.001', usage: { outputTokens: 0 } },
  ),
  gemini(
    'a malformed call',
    { candidates: [{ index: 0, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(bash())' }] },
    { finish: 'malformed_function_call', text: '' },
  ),
  gemini('no counts', { usageMetadata: undefined }, { kind: 'usage_problem', says: /no token counts/ }),
  gemini(
    'counts above their total',
    { usageMetadata: { ...OF_GEMINI, totalTokenCount: 900 } },
    { kind: 'usage_problem', says: /do not add up/ },
  ),
  gemini(
    'another shape',
    { candidates: 'none', usageMetadata: undefined },
    { kind: 'malformed_response', costs: 'the reservation' },
  ),
  geminiError(
    'rate limit',
    googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36s' },
    ]),
    'rate_limited',
  ),
  geminiError('a wrong key', googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass it.'), 'auth'),
  geminiError('overloaded', googleError(503, 'UNAVAILABLE', 'The model is overloaded.'), 'overloaded'),
  geminiError('no such model', googleError(404, 'NOT_FOUND', 'models/x is not found'), 'unknown_model'),
  geminiError(
    'context overflow',
    googleError(400, 'INVALID_ARGUMENT', 'The input token count (9) exceeds the maximum number of tokens allowed (8).'),
    'context_window',
  ),
  inside('Gemini, unavailable', 'gemini', googleError(503, 'UNAVAILABLE', 'later'), {
    kind: 'overloaded',
    costs: 'nothing',
  }),
];

type Events = NonNullable<ScriptedAnswer['events']>;
const named = (...all: { type: string; [key: string]: unknown }[]): Events =>
  all.map((data) => ({ event: data.type, data }));

const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const START = {
  type: 'message_start',
  message: { ...message({ input_tokens: 1000, output_tokens: 1 }), content: [], stop_reason: null },
};
const BLOCK = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
];
const chunk = (more: object) => ({ data: { id: 'c1', object: 'chat.completion.chunk', model: 'the-model', ...more } });

const streamed = (name: string, wire: ProgramClient, events: Events, right: Right): ProviderCase => ({
  ...{ name: `in a stream: ${name}`, wire, answer: { events }, right },
});
const overloaded: Right = { kind: 'overloaded', costs: 'nothing' };

/** Only programs stream. */
const STREAMED: ProviderCase[] = [
  streamed('overloaded at once', 'anthropic', named(OVERLOADED), overloaded),
  streamed('overloaded before any content', 'anthropic', named(START, { type: 'ping' }, OVERLOADED), overloaded),
  streamed('overloaded in the middle', 'anthropic', named(START, ...BLOCK, OVERLOADED), overloaded),
  streamed(
    'rate limit of OpenRouter',
    'openai-chat',
    [chunk({ error: { message: 'Rate limit exceeded', code: 429 }, choices: [] })],
    { kind: 'rate_limited', costs: 'nothing' },
  ),
  streamed(
    'upstream lost in the middle',
    'openai-chat',
    [
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'half' }, finish_reason: null }] }),
      chunk({ error: { code: 502, message: 'lost' }, choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }),
    ],
    { kind: 'server_error', costs: 'the reservation' },
  ),
  streamed(
    'a failed response',
    'openai-responses',
    named(
      { type: 'response.created', response: response({}, { status: 'in_progress' }) },
      {
        type: 'response.failed',
        response: { id: 'r1', status: 'failed', output: [], error: { code: 'rate_limit_exceeded', message: 'later' } },
      },
    ),
    { kind: 'rate_limited', costs: 'nothing' },
  ),
  streamed('cut', 'anthropic', named(START, ...BLOCK), { kind: 'connection_cut', costs: 'the reservation' }),
];

/** What providers answer, and what is right. */
export const PROVIDER_CASES: readonly ProviderCase[] = [
  ...[...OVERFLOWS, ...OTHER_REFUSALS, ...INSIDE, ...COUNTED, ...RESPONSES, ...DIALECTS, ...GEMINI, ...GEMINI_CASES],
  ...STREAMED,
];

/** Agents do not stream. */
export const isOfAgents = ({ answer }: ProviderCase): boolean => answer.events === undefined;

/** A stream that is complete. */
export const COMPLETE_STREAM: ScriptedAnswer = {
  events: named(
    START,
    ...BLOCK,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 100 } },
    { type: 'message_stop' },
  ),
};
