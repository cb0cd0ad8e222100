import { z } from 'zod';
import { batchIdSchema, countSchema, endReasonSchema, runIdSchema, runStatusSchema, timeSchema } from './values.js';

const amount = z.number().nullable();
const milliseconds = z.number().nonnegative().nullable();
const version = countSchema.nullable();
const label = z.union([z.string(), z.number(), z.boolean()]);

/** Figures of an episode: docs/reference/schema.md says how measure_episodes() computes them. */
export const episodeFiguresSchema = z
  .strictObject({
    episodeId: z.string().describe("the trainer's own id, else the run's"),
    runId: runIdSchema,
    batchId: batchIdSchema,
    task: z.string(),
    group: z.string().nullable(),
    seed: z.int(),
    protocol: z.string(),
    labels: z.record(z.string(), label),
    policyVersion: version.describe('of the first action, else of the reset'),
    lastPolicyVersion: version,
    status: runStatusSchema,
    endReason: endReasonSchema.nullable(),
    reward: amount,
    gain: amount,
    fault: z.string().nullable().describe('of ours, or given up'),
    isTerminated: z.boolean(),
    isTruncated: z.boolean(),
    errored: z.boolean().describe('by a fault of ours'),
    abandoned: z.boolean().describe('no client polled it, or it was given up'),
    masked: z.boolean().describe('ended without a reward'),
    numTurns: countSchema,
    steps: countSchema,
    formatErrors: countSchema,
    replyChars: countSchema,
    replyTokens: countSchema.describe('an estimate where no model was called'),
    commands: countSchema,
    failedCommands: countSchema,
    validations: countSchema,
    resetMs: milliseconds,
    queueMs: milliseconds.describe('until its sandbox was up'),
    firstCommandMs: milliseconds.describe('from the action to its end'),
    forkMs: milliseconds,
    createdAt: timeSchema,
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: 'Episode' });
export type EpisodeFigures = z.infer<typeof episodeFiguresSchema>;

/** Newest first; `more`: there are others. */
export const episodesDocumentSchema = z.strictObject({ episodes: z.array(episodeFiguresSchema), more: z.boolean() });
export type EpisodesDocument = z.infer<typeof episodesDocumentSchema>;

const episodeActionSchema = z
  .strictObject({
    seq: countSchema,
    step: countSchema,
    action: z.string().describe('command, reply, or what could not be read'),
    policyVersion: version,
    formatError: z.boolean(),
    exitCode: z.int().nullable(),
    timedOut: z.boolean(),
    reward: amount,
    gain: amount,
    thinkMs: milliseconds,
    queueMs: milliseconds,
    commandMs: milliseconds,
    evaluationMs: milliseconds,
    platformMs: milliseconds.describe('what is left of its time; null: not over'),
    at: timeSchema,
  })
  .meta({ id: 'EpisodeAction' });
export type EpisodeActionFigures = z.infer<typeof episodeActionSchema>;

export const shownEpisodeSchema = episodeFiguresSchema
  .extend({
    rewardRequest: z.looseObject({}).describe('how it is rewarded'),
    actions: z.array(episodeActionSchema),
  })
  .meta({ id: 'ShownEpisode' });
export type ShownEpisode = z.infer<typeof shownEpisodeSchema>;

export const exportedEpisodesSchema = z.strictObject({
  format: z.enum(['jsonl', 'air-agent']),
  output: z.string(),
  episodes: countSchema,
});
export type ExportedEpisodes = z.infer<typeof exportedEpisodesSchema>;

const actionLineSchema = z
  .strictObject({
    ...{ action_seq: countSchema, step: countSchema, policy_version: version },
    message: countSchema.describe('index of its reply in `messages`'),
    mask: z.union([z.literal(0), z.literal(1)]).describe('1: train on it'),
    ...{ reward: amount, gain: amount, score: amount.describe('of its evaluation'), format_error: z.boolean() },
    ...{ exit_code: z.int().nullable(), timed_out: z.boolean() },
    ...{ think_ms: milliseconds, queue_ms: milliseconds, command_ms: milliseconds },
    ...{ evaluation_ms: milliseconds, platform_ms: milliseconds },
  })
  .meta({ id: 'ActionLine' });

/** A line of an export. Keys are spelt as trainers spell them. */
export const episodeLineSchema = z
  .strictObject({
    ...{ episode_id: z.string(), run_id: runIdSchema, batch_id: batchIdSchema, task: z.string(), seed: z.int() },
    ...{ group: z.string().nullable(), labels: z.record(z.string(), label), policy_version: version },
    ...{ forked_from: runIdSchema.nullable(), forked_at_step: countSchema.nullable() },
    ...{ status: runStatusSchema, end_reason: endReasonSchema.nullable(), exit_status: z.string().nullable() },
    ...{ reward: amount, gain: amount, baseline: amount, fault: z.string().nullable() },
    ...{ terminated: z.boolean(), truncated: z.boolean(), errored: z.boolean() },
    masked: z.boolean().describe('not to be trained on'),
    ...{ num_turns: countSchema, format_errors: countSchema, validations: countSchema },
    reward_request: z.looseObject({}),
    messages: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))
      .describe('as the policy saw them: the first observation, then each action and its outcome'),
    actions: z.array(actionLineSchema),
    created_at: timeSchema,
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: 'EpisodeLine' });
export type EpisodeLine = z.infer<typeof episodeLineSchema>;

const share = z.number().min(0).max(1).nullable();

/** By policy version, from measure_policies(). Names as in TRL and prime-rl where they exist. */
export const policyMetricsSchema = z
  .strictObject({
    policy_version: version,
    ...{ episodes: countSchema, ended: countSchema, rewarded: countSchema },
    ...{ reward: amount, reward_std: amount, reward_min: amount, reward_max: amount, gain: amount },
    groups: countSchema.describe('of at least two rewards'),
    frac_reward_zero_std: share.describe('of groups whose rewards are all equal'),
    terminated: countSchema,
    is_truncated: share.describe('of ended episodes'),
    truncations: z.record(z.string(), countSchema).describe('by end reason'),
    ...{ errored_rollouts: countSchema, abandoned: countSchema, masked: countSchema },
    ...{ num_turns: amount, reply_chars: amount, reply_tokens: amount, validations: amount },
    'tools/call_frequency': amount.describe('commands per episode'),
    'tools/failure_frequency': share.describe('of commands'),
    format_error_share: share.describe('of replies'),
    actions: countSchema.describe('that it chose, in any episode; so for staleness and times'),
    staleness: amount.describe('versions that the trainer was ahead when their episode had ended'),
    staleness_max: z.int().nullable(),
    ...{ think_ms: milliseconds, queue_ms: milliseconds, command_ms: milliseconds, evaluation_ms: milliseconds },
    ...{ platform_ms: milliseconds, reset_ms: milliseconds, first_command_ms: milliseconds, fork_ms: milliseconds },
  })
  .meta({ id: 'PolicyMetrics' });
export type PolicyMetrics = z.infer<typeof policyMetricsSchema>;

/** Episodes that are compared with each other: group_episodes(). */
export const groupMetricsSchema = z.strictObject({
  ...{ policy_version: version, task: z.string(), group: z.string().nullable(), seed: z.int().nullable() },
  ...{ episodes: countSchema, ended: countSchema, rewarded: countSchema },
  ...{
    reward: amount,
    reward_std: amount,
    reward_min: amount,
    reward_max: amount,
    zero_spread: z.boolean().nullable(),
  },
});
export type GroupMetrics = z.infer<typeof groupMetricsSchema>;

/** How many episodes of a batch are open, by what they wait for, and how many ended, by reason. */
export interface EpisodeStates {
  slots: number;
  open: { idle: number; waiting: number; active: number; detached: number };
  ended: Record<string, number>;
}
