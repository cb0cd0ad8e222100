import { z } from 'zod';
import { END_REASONS, FINAL_EVALUATIONS } from '../run/outcomes.js';
import { toolStateSchema } from '../agent/tool-state.js';
import { EVALUATION_KINDS, EVALUATION_STATUSES } from '../run/run.js';

/** Version of the key `bench` in ATIF's `extra` and Inspect's `metadata`, for all other fields. */
export const EXTRA_VERSION = 1;

const tokens = z.number().int().nonnegative();
const money = z.string().regex(/^\d{1,12}(\.\d{1,18})?$/);

/** A refused reply, or an unanswered call. */
const extraCallSchema = z.object({
  try: z.number().int().nonnegative(),
  attempt: z.number().int().positive(),
  status: z.enum(['reserved', 'confirmed', 'unconfirmed', 'failed']),
  step: z.number().int().nonnegative().optional(),
  response: z.string().optional(),
  tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  finish_reason: z.string().optional(),
  input_tokens: tokens.optional(),
  output_tokens: tokens.optional(),
  cached_tokens: tokens.optional(),
  reasoning_tokens: tokens.optional(),
  cache_write_tokens: tokens.optional(),
  cost_usd: money.optional(),
  ms: z.number().nonnegative().optional(),
  error: z.string().optional(),
  answer: z.string().optional(),
});
export type ExtraCall = z.infer<typeof extraCallSchema>;

export const stepExtraSchema = z.object({
  step: z.number().int().positive(),
  /** Absent: the message's text. */
  thought: z.string().optional(),
  /** Absent: the command of the first call; null: no reply could be parsed. */
  action: z.string().nullable().optional(),
  /** Our own call: the agent writes commands into its text. */
  synthetic: z.boolean().optional(),
  exit_code: z.number().int().nullable().optional(),
  timed_out: z.boolean().optional(),
  lost: z.boolean().optional(),
  output_bytes: z.number().int().nonnegative().nullable().optional(),
  requested: z.enum(['validate', 'submit']).optional(),
  working_dir: z.string().nullable().optional(),
  tool_state: toolStateSchema.nullable().optional(),
  command_ms: z.number().nonnegative().nullable().optional(),
  model_ms: z.number().nonnegative().nullable().optional(),
  executed_at: z.string().nullable().optional(),
  copied: z.boolean().optional(),
  reward: z.number().nullable().optional(),
  /** The call of this reply. */
  call: extraCallSchema.optional(),
  calls: z.array(extraCallSchema).optional(),
  evaluations: z
    .array(
      z.object({
        number: z.number().int(),
        kind: z.string(),
        split: z.string(),
        status: z.string(),
        metrics: z.record(z.string(), z.number()).nullable(),
      }),
    )
    .optional(),
});
export type StepExtra = z.infer<typeof stepExtraSchema>;

const evaluationSchema = z.object({
  step: z.number().int().nonnegative(),
  kind: z.enum(EVALUATION_KINDS),
  split: z.string().min(1).max(40),
  number: z.number().int().positive(),
  status: z.enum(EVALUATION_STATUSES),
  metrics: z.record(z.string(), z.number()).nullable(),
  primary: z.number().nullable(),
  suspect: z.boolean(),
  message: z.string(),
  fault: z.string().nullable(),
  submissionSha256: z.string().nullable(),
  fromStep: z.number().int().nullable(),
  isolation: z.string(),
  /** Null: imported, not recorded. */
  ms: z.number().nullable(),
  at: z.string(),
});

export const runExtraSchema = z.object({
  version: z.literal(EXTRA_VERSION),
  run_id: z.string(),
  batch_id: z.string(),
  batch: z.string().nullable(),
  origin: z.string(),
  task: z.object({
    id: z.string().min(1),
    name: z.string(),
    hash: z.string(),
    contract: z.number().int(),
    primary: z.string().min(1),
    direction: z.enum(['maximize', 'minimize']),
    min: z.number().nullable(),
    max: z.number().nullable(),
  }),
  model: z.object({ name: z.string(), kind: z.string(), provider: z.string(), provider_model: z.string() }),
  agent: z.object({ name: z.string(), hash: z.string() }),
  sampling: z.object({
    temperature: z.number().optional(),
    topP: z.number().optional(),
    maxOutputTokens: z.number().optional(),
  }),
  attempt: z.number().int().positive(),
  seed: z.number().int(),
  max_steps: z.number().int().nonnegative(),
  backend: z.string(),
  isolation: z.string().nullable(),
  gpus: z.number().int().nonnegative(),
  harness_version: z.string(),
  replaces: z.string().nullable(),
  forked_from: z.string().nullable(),
  forked_at_step: z.number().int().nullable(),
  status: z.string(),
  end_reason: z.enum(END_REASONS).nullable(),
  final_evaluation: z.enum(FINAL_EVALUATIONS).nullable(),
  exit_status: z.string().nullable(),
  detail: z.string().nullable(),
  best_score: z.number().nullable(),
  final_score: z.number().nullable(),
  baseline: z.number().nullable(),
  evaluations: z.array(evaluationSchema),
  integrity: z.array(z.object({ rule: z.string(), step: z.number().int().nullable(), detail: z.string() })),
  usage: z.object({
    input_tokens: tokens,
    output_tokens: tokens,
    cached_tokens: tokens,
    reasoning_tokens: tokens,
    cache_write_tokens: tokens,
    cost_usd: money,
    model_calls: tokens.nullable(),
  }),
  workspace: z.string().nullable(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  /** Calls of a missing step. */
  calls: z.array(extraCallSchema).optional(),
  episode: z.record(z.string(), z.unknown()).optional(),
});
export type RunExtra = z.infer<typeof runExtraSchema>;
