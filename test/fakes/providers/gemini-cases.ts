import type { ProviderCase, Right } from './cases.js';

/** Of Gemini's own API. */
const gemini = (name: string, answer: ProviderCase['answer'], right: Right): ProviderCase => ({
  ...{ name: `Gemini: ${name}`, wire: 'gemini', answer, right },
});
const candidate = (parts: object[], finishReason?: string) => ({
  content: { role: 'model', parts },
  index: 0,
  ...(finishReason === undefined ? {} : { finishReason }),
});
const generated = (usageMetadata: unknown, more: object = {}) => ({
  candidates: [candidate([{ text: 'hello' }], 'STOP')],
  ...{ usageMetadata, modelVersion: 'the-model', responseId: 'g1', ...more },
});
const USUAL = { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 };
const failed = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, message, status, ...(details.length === 0 ? {} : { details }) },
});
const reply = (usd: string, usage: object, text = 'hello'): Right => ({ kind: 'reply', usd, usage, text });
const RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' };
const OVERFLOW = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';

export const GEMINI_CASES: readonly ProviderCase[] = [
  gemini('as usual', { body: generated(USUAL) }, reply('0.0015', { inputTokens: 1000, outputTokens: 100 })),
  gemini(
    'thoughts beside the candidates',
    { body: generated({ ...USUAL, thoughtsTokenCount: 300, totalTokenCount: 1400 }) },
    reply('0.003', { outputTokens: 400, reasoningTokens: 300 }),
  ),
  gemini(
    'cached tokens within the prompt',
    { body: generated({ ...USUAL, cachedContentTokenCount: 600 }) },
    reply('0.00096', { inputTokens: 1000, cachedTokens: 600 }),
  ),
  gemini(
    'results of tools beside the prompt',
    { body: generated({ ...USUAL, toolUsePromptTokenCount: 1000, totalTokenCount: 2100 }) },
    reply('0.0025', { inputTokens: 2000 }),
  ),
  gemini(
    'a prompt that is blocked',
    {
      body: {
        promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
        usageMetadata: { promptTokenCount: 1000, totalTokenCount: 1000 },
      },
    },
    reply('0.001', { inputTokens: 1000, outputTokens: 0 }, ''),
  ),
  gemini(
    'nothing but thoughts, cut by length',
    {
      body: {
        candidates: [{ finishReason: 'MAX_TOKENS', index: 0 }],
        usageMetadata: { promptTokenCount: 1000, thoughtsTokenCount: 100, totalTokenCount: 1100 },
      },
    },
    reply('0.0015', { outputTokens: 100, reasoningTokens: 100 }, ''),
  ),
  gemini('no counts', { body: generated(undefined) }, { kind: 'usage_problem', says: /no token counts/ }),
  gemini(
    'a total below its parts',
    { body: generated({ ...USUAL, totalTokenCount: 900 }) },
    { kind: 'usage_problem', says: /do not add up/ },
  ),
  gemini('another shape', { body: { data: 'hello' } }, { kind: 'malformed_response', costs: 'the reservation' }),
  gemini(
    'context overflow',
    { status: 400, body: failed(400, 'INVALID_ARGUMENT', OVERFLOW) },
    { kind: 'context_window', costs: 'nothing' },
  ),
  gemini(
    'context overflow, in a list',
    { status: 400, body: [failed(400, 'INVALID_ARGUMENT', OVERFLOW)] },
    { kind: 'context_window', costs: 'nothing' },
  ),
  gemini(
    'a rate limit',
    { status: 429, body: failed(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.', [RETRY]) },
    { kind: 'rate_limited', costs: 'nothing' },
  ),
  gemini(
    'overloaded',
    { status: 503, body: failed(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.') },
    { kind: 'overloaded', costs: 'nothing' },
  ),
  gemini(
    'in a stream: an error at once',
    { events: [{ data: failed(503, 'UNAVAILABLE', 'The model is overloaded.') }] },
    { kind: 'overloaded', costs: 'nothing' },
  ),
  gemini(
    'in a stream: an error in the middle',
    {
      events: [
        { data: { candidates: [candidate([{ text: 'half' }])], usageMetadata: USUAL } },
        { data: failed(500, 'INTERNAL', 'An internal error has occurred.') },
      ],
    },
    { kind: 'server_error', costs: 'the reservation' },
  ),
  gemini(
    'in a stream: cut',
    { events: [{ data: { candidates: [candidate([{ text: 'half' }])], usageMetadata: USUAL } }] },
    { kind: 'connection_cut', costs: 'the reservation' },
  ),
];
