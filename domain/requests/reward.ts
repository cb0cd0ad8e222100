import { z } from 'zod';
import { BenchError } from '../errors.js';

/**
 * When evaluations pay, for gains g of valid ones: `delta_prev` g − previous g (at first 0); at the
 * end only: `final` the last g, `best` the best, or the best score's rung of `tiers`.
 */
export const REWARD_MODES = ['delta_prev', 'final', 'best'] as const;
export type RewardMode = (typeof REWARD_MODES)[number];

/** Stored episodes may have them, so the database still computes them. */
export const REMOVED_REWARD_MODES: Readonly<Record<string, string>> = {
  delta_best: 'use best, which pays the same sum at the end',
  each: 'use delta_prev: each paid again for a file that had not changed',
  tier: 'use best with tiers',
};

export const modeError = (input: unknown): string | undefined => {
  const instead =
    typeof input === 'string' && Object.hasOwn(REMOVED_REWARD_MODES, input) && REMOVED_REWARD_MODES[input];
  return instead ? `${String(input)} was removed: ${instead}` : undefined;
};
export const rewardModeSchema = z.enum(REWARD_MODES, { error: ({ input }) => modeError(input) });

const number = z.number().min(-1e6).max(1e6);
const penalty = z.number().min(0).max(1e6);
const UNCHANGED = 'an unchanged submission must pay 0, and no more than a better one';
const count = z.number().int().min(1).max(100_000);
const bar = z.union([number, z.enum(['baseline', 'best_ever', 'percentile'])]);

/** Reached only if those before it are. */
const rungSchema = z.union([
  z.strictObject({ above: bar, reward: number }),
  z.strictObject({ at_least: bar, reward: number }),
]);

/** As trainers request it and episode_rewards() takes it. */
export const rewardSchema = z
  .strictObject({
    mode: rewardModeSchema.default('delta_prev'),
    /** `score`: the difference to the baseline in the metric's unit. */
    unit: z.enum(['gain', 'score']).optional(),
    /** `final`, `best`: clip(scale × g + offset − error_penalty × failed steps / steps). */
    scale: number.min(0, UNCHANGED).optional(),
    offset: number.max(0, UNCHANGED).optional(),
    error_penalty: penalty.optional(),
    /** Of the payment; in `delta_prev` of g before the difference. Penalties are added. */
    clip: z
      .tuple([number, number])
      .refine(([low, high]) => low < high, 'must be two numbers, the smaller one first')
      .refine(([low, high]) => low <= 0 && high >= 0, `must have 0 within it: ${UNCHANGED}`)
      .optional(),
    /** Per unusable reply, in its step. */
    format_penalty: penalty.optional(),
    /** At the end of an episode without a valid evaluation. */
    no_valid_penalty: penalty.optional(),
    tiers: z.array(rungSchema).min(1).max(20).optional(),
    /** The bar `percentile`: of so many last best scores after `warm_up`; before, the baseline. */
    percentile: z.number().min(0).max(100).optional(),
    window: count.optional(),
    warm_up: count.optional(),
    /** Episodes per training step, in batch order: they have the same bars. */
    reward_batch_size: count.optional(),
  })
  .superRefine((reward, context) => {
    const { mode } = reward;
    const refuse = (key: keyof typeof reward, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    const tiered = reward.tiers !== undefined;
    if (tiered && mode !== 'best') refuse('tiers', 'belongs to mode best');
    for (const key of ['percentile', 'window', 'warm_up', 'reward_batch_size'] as const)
      if (!tiered && reward[key] !== undefined) refuse(key, 'belongs to tiers');
    for (const key of ['scale', 'offset', 'error_penalty'] as const)
      if ((mode === 'delta_prev' || tiered) && reward[key] !== undefined)
        refuse(key, 'belongs to modes final and best, without tiers');
    for (const key of ['unit', 'clip'] as const)
      if (tiered && reward[key] !== undefined) refuse(key, 'has no effect with tiers');
  });
export type RewardRequest = z.output<typeof rewardSchema>;
export type RewardInput = z.input<typeof rewardSchema>;

export const DEFAULT_REWARD: RewardRequest = { mode: 'delta_prev' };

const FAULT = { mode: 'best', no_valid_penalty: 0.5 } as const;

/** Of air-agent, its tree environment, and TorchRL for MLGym. */
export const REWARD_PRESETS = {
  'air-agent': {
    ...{ mode: 'final', unit: 'score', scale: 5, offset: -0.5, error_penalty: 0.5, clip: [-1, 1] },
    no_valid_penalty: 1,
  },
  v6_binary: { ...FAULT, tiers: [{ above: 'baseline', reward: 1 }] },
  v7_fixed_tier: {
    ...FAULT,
    tiers: [
      { above: 'baseline', reward: 0.2 },
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
  /** TorchRL pays s − b at each evaluation, so repeatedly for one file; this pays it once. */
  torchrl: { mode: 'delta_prev', unit: 'score' },
} satisfies Record<string, RewardInput>;
export type RewardPreset = keyof typeof REWARD_PRESETS;
export const REWARD_PRESET_NAMES = Object.keys(REWARD_PRESETS) as RewardPreset[];

/** A preset with changes, or a custom reward. Throws BenchError (usage). */
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
