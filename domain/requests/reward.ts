import { z } from 'zod';
import { BenchError } from '../errors.js';

/**
 * When evaluations pay, and how much, of an episode whose valid evaluations gain g1, g2, …: `delta_prev` g − the one before (at
 * first 0), `delta_best` what it adds to the best (at first 0), `each` g; at the end alone: `final` the last g, `best` the best, `tier`
 * the rung that the best score reaches.
 */
export const REWARD_MODES = ['delta_prev', 'delta_best', 'each', 'final', 'best', 'tier'] as const;
export type RewardMode = (typeof REWARD_MODES)[number];

const number = z.number().min(-1e6).max(1e6);
const penalty = z.number().min(0).max(1e6);
const count = z.number().int().min(1).max(100_000);
const bar = z.union([number, z.enum(['baseline', 'best_ever', 'percentile'])]);

/** Reached only if those before it are. */
const rungSchema = z.union([
  z.strictObject({ above: bar, reward: number }),
  z.strictObject({ at_least: bar, reward: number }),
]);

/** A reward as trainers request it and episode_rewards() takes it; keys are named like trainers' other options. */
export const rewardSchema = z
  .strictObject({
    mode: z.enum(REWARD_MODES).default('delta_prev'),
    /** `gain`, or `score`: better than the baseline by so much, in the metric's own unit. */
    unit: z.enum(['gain', 'score']).optional(),
    /** What `final` and `best` pay is clip(scale × g + offset − error_penalty × failed steps / steps). */
    scale: number.optional(),
    offset: number.optional(),
    error_penalty: penalty.optional(),
    /** Of each payment for an evaluation; penalties come on top. */
    clip: z
      .tuple([number, number])
      .refine(([low, high]) => low < high, 'must be two numbers, the smaller one first')
      .optional(),
    /** For each reply that could not be used, in its step. */
    format_penalty: penalty.optional(),
    /** At the end of an episode without any valid evaluation. */
    no_valid_penalty: penalty.optional(),
    tiers: z.array(rungSchema).min(1).max(20).optional(),
    /** The bar `percentile`: of so many last best scores, once `warm_up` are there; until then the baseline. */
    percentile: z.number().min(0).max(100).optional(),
    window: count.optional(),
    warm_up: count.optional(),
    /** Episodes of one training step, in the order of their batch: they meet the same bars. */
    reward_batch_size: count.optional(),
  })
  .superRefine((reward, context) => {
    const { mode } = reward;
    const refuse = (key: keyof typeof reward, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if ((mode === 'tier') !== (reward.tiers !== undefined))
      refuse('tiers', mode === 'tier' ? 'is what mode tier needs' : 'belongs to mode tier');
    for (const key of ['percentile', 'window', 'warm_up', 'reward_batch_size'] as const)
      if (mode !== 'tier' && reward[key] !== undefined) refuse(key, 'belongs to mode tier');
    for (const key of ['scale', 'offset', 'error_penalty'] as const)
      if (mode !== 'final' && mode !== 'best' && reward[key] !== undefined)
        refuse(key, 'belongs to modes final and best');
    for (const key of ['unit', 'clip'] as const)
      if (mode === 'tier' && reward[key] !== undefined) refuse(key, 'has no use in mode tier');
  });
export type RewardRequest = z.output<typeof rewardSchema>;
export type RewardInput = z.input<typeof rewardSchema>;

export const DEFAULT_REWARD: RewardRequest = { mode: 'delta_prev' };

const FAULT = { mode: 'tier', no_valid_penalty: 0.5 } as const;

/** Rewards by familiar names: air-agent's, its tree environment's, and TorchRL's for MLGym. */
export const REWARD_PRESETS = {
  'air-agent': {
    ...{ mode: 'final', unit: 'score', scale: 5, offset: -0.5, error_penalty: 0.5, clip: [-1, 1] },
    no_valid_penalty: 1,
  },
  v6_binary: { ...FAULT, tiers: [{ above: 'baseline', reward: 1 }] },
  v7_fixed_tier: {
    ...FAULT,
    tiers: [
      { at_least: 'baseline', reward: 0.2 },
      { above: 0.88, reward: 1 },
    ],
  },
  v8_global_best: {
    ...FAULT,
    tiers: [
      { above: 'baseline', reward: 0.2 },
      { at_least: 'best_ever', reward: 1 },
    ],
    reward_batch_size: 8,
  },
  v9_percentile: {
    ...FAULT,
    tiers: [
      { above: 'baseline', reward: 0.2 },
      { above: 'percentile', reward: 1 },
    ],
    ...{ percentile: 70, window: 64, warm_up: 8, reward_batch_size: 8 },
  },
  torchrl: { mode: 'each', unit: 'score' },
} satisfies Record<string, RewardInput>;
export type RewardPreset = keyof typeof REWARD_PRESETS;
export const REWARD_PRESET_NAMES = Object.keys(REWARD_PRESETS) as RewardPreset[];

/** A preset with what is changed of it, or a reward of one's own. BenchError (usage): it makes none. */
export function rewardRequest({
  preset,
  ...own
}: { preset?: RewardPreset | undefined } & RewardInput = {}): RewardRequest {
  const parsed = rewardSchema.safeParse({ ...(preset === undefined ? {} : REWARD_PRESETS[preset]), ...own });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new BenchError(
    'usage',
    `the reward cannot be computed: ${[path.join('.'), message].filter(Boolean).join(' ')}`,
    {
      code: 'reward.invalid',
      remedy: 'docs/concepts/rewards.md lists modes, keys and presets.',
    },
  );
}
