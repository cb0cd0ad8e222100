import { z } from 'zod';
import { type ModelConfig, modelConfigSchema } from '../model/config.js';
import { CAPTURE_LEVELS } from '../rollouts/captured-tokens.js';
import { KEY_VARIABLE } from '../rollouts/endpoint-addresses.js';
import { resetSchema } from './episode.js';

/** Connection and framing headers: a request could be read as two, or for another host. */
const FORBIDDEN_HEADERS = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'content-length'],
];

/** bench sets these in each request. */
const OWN_PARAMETERS = [
  ...['messages', 'prompt', 'model', 'stream', 'stream_options', 'n', 'tools', 'tool_choice', 'parallel_tool_calls'],
  ...['logprobs', 'top_logprobs', 'return_token_ids', 'max_completion_tokens', 'echo'],
];

const ascii = z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');

const samplingSchema = z
  .object({
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().gt(0).max(1).optional(),
    max_tokens: z.number().int().min(1).max(100_000_000).default(4096),
  })
  .catchall(z.json())
  .superRefine((sampling, context) => {
    for (const key of OWN_PARAMETERS.filter((one) => one in sampling))
      context.addIssue({ code: 'custom', path: [key], message: 'is set by bench; omit it' });
  });

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/, 'must be the name of a header')
  .refine((name) => !FORBIDDEN_HEADERS.includes(name.toLowerCase()), 'is a header that the connection sets itself');

/** Its prompt says how to answer; that of `episode` leaves this to the trainer. */
const ROLLOUT_AGENT = 'bash-only';

export const rolloutModelSchema = z.strictObject({
  base_url: modelConfigSchema.shape.baseUrl.unwrap().describe('OpenAI-compatible, with its `/v1`'),
  model: z.string().min(1).max(200).describe('as the endpoint names it'),
  api_key: ascii
    .max(10_000)
    .refine((key) => !key.startsWith('$') || KEY_VARIABLE.test(key.slice(1)), {
      message: 'names a variable that may not be sent; names are BENCH_ROLLOUT_API_KEY or BENCH_ROLLOUT_…_API_KEY',
    })
    .default('')
    .describe('a key, stored sealed; or `$BENCH_ROLLOUT_API_KEY`, a variable of the server'),
  headers: z.record(headerName, ascii.max(10_000)).default({}).describe('further headers, stored sealed'),
  sampling: samplingSchema
    .prefault({})
    .describe('`temperature`, `top_p`, `max_tokens` (4096), or what else the endpoint takes'),
  context_window: z
    .number()
    .int()
    .min(1)
    .max(100_000_000)
    .default(1_000_000)
    .describe('tokens; a longer prompt ends the rollout'),
});
export type RolloutModel = z.output<typeof rolloutModelSchema>;

const {
  task,
  split,
  index,
  seed,
  max_steps,
  max_validations,
  deadline_s,
  reward,
  agent,
  group,
  policy_version,
  labels,
} = resetSchema.shape;

/** Keys are spelt as on the wire. */
export const rolloutSchema = z.strictObject({
  ...{ task, split, index, seed, max_steps, max_validations, deadline_s, reward, group, policy_version, labels },
  agent: agent.unwrap().default(ROLLOUT_AGENT).describe('agent configuration; default: bash-only'),
  model: rolloutModelSchema,
  count: z.number().int().min(1).max(10_000).default(1).describe('rollouts, all of the same task and seed'),
  capture: z.enum(CAPTURE_LEVELS).default('tokens').describe('what is asked of the endpoint about tokens'),
  rollout_id: z
    .string()
    .min(1)
    .max(240)
    .optional()
    .describe('id of your own, with `-2`, `-3` … behind it for further ones; the same one again is the same rollout'),
});
export type RolloutRequest = z.output<typeof rolloutSchema>;

/** A model without a price. Contains no secret. */
export function inlineModel({
  base_url: baseUrl,
  model,
  api_key: key,
  sampling,
  context_window: contextWindow,
}: RolloutModel): ModelConfig {
  const { temperature, top_p: topP, max_tokens: maxOutputTokens, ...extraBody } = sampling;
  return modelConfigSchema.parse({
    schema: 1,
    description: 'the endpoint of a trainer',
    provider: 'openai-compatible',
    ...{ model, baseUrl, contextWindow },
    ...(key.startsWith('$') && { apiKeyVariable: key.slice(1) }),
    maxOutputTokens: Math.min(maxOutputTokens, contextWindow),
    sampling: { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) },
    accepts: ['temperature', 'topP', 'parallelToolCalls'],
    ...(Object.keys(extraBody).length > 0 && { extraBody }),
    // Its owner pays.
    prices: [{ from: '2024-01-01', input: 0, output: 0 }],
  });
}
