import { z } from 'zod';
import { REWARD_MODES } from '../requests/reward.js';
import { batchIdSchema, countSchema, endReasonSchema, runIdSchema, runStatusSchema } from './values.js';

const amountSchema = z.number().nullable();

const rewardedStepSchema = z
  .strictObject({
    step: countSchema,
    evaluation: countSchema.nullable().describe('number'),
    gain: amountSchema,
    reward: amountSchema,
    cumulativeReward: amountSchema,
    formatErrors: countSchema,
    fault: z.string().nullable(),
    parts: z.record(z.string(), z.number()).nullable(),
  })
  .meta({ id: 'RewardedStep' });
export type RewardedStep = z.infer<typeof rewardedStepSchema>;

const rewardedEpisodeSchema = z
  .strictObject({
    runId: runIdSchema,
    batchId: batchIdSchema,
    task: z.string(),
    model: z.string(),
    status: runStatusSchema,
    endReason: endReasonSchema.nullable(),
    reward: amountSchema,
    gain: amountSchema,
    steps: countSchema,
    formatErrors: countSchema,
    fault: z.string().nullable().describe('of ours'),
    stepList: z.array(rewardedStepSchema).exactOptional().describe('where steps were asked for'),
  })
  .meta({ id: 'RewardedEpisode' });
export type RewardedEpisode = z.infer<typeof rewardedEpisodeSchema>;

/** Episodes in the order in which they were submitted. */
export const episodeRewardsSchema = z.strictObject({
  /** As it was computed. */
  request: z.looseObject({ mode: z.enum(REWARD_MODES) }),
  episodes: z.array(rewardedEpisodeSchema),
  rewarded: countSchema,
  faults: countSchema,
  /** Not ended. */
  open: countSchema,
  /** Of the rewarded ones. */
  mean: amountSchema,
  /** Of the population. */
  std: amountSchema,
  min: amountSchema,
  max: amountSchema,
});
export type EpisodeRewards = z.infer<typeof episodeRewardsSchema>;
