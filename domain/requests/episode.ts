import { z } from 'zod';
import { BenchError } from '../errors.js';
import { REWARD_PRESET_NAMES, rewardModeSchema, rewardSchema } from './reward.js';

/** Largest number of an action or a policy: PostgreSQL's `integer`. */
export const MOST_INTEGER = 2_147_483_647;

/** Checked as a whole when the episode begins, after a preset's defaults. */
const episodeRewardSchema = z.strictObject({
  ...rewardSchema.shape,
  mode: rewardModeSchema.optional(),
  preset: z.enum(REWARD_PRESET_NAMES).optional(),
});

/** Keys are spelt as on the wire. */
export const resetSchema = z.strictObject({
  task: z.string().min(1).optional().describe('task to play; or `split` and `index`, or `fork_of`'),
  split: z.string().min(1).optional().describe('list of tasks that `index` counts in'),
  index: z.number().int().min(0).optional().describe('position in `split`, from 0'),
  fork_of: z.string().min(1).optional().describe('id of an episode to continue from'),
  at_step: z.number().int().min(1).max(MOST_INTEGER).optional().describe('its step after which this one begins'),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31)
    .optional()
    .describe('equal seeds, equal first observations'),
  episode_id: z.string().min(1).max(255).optional().describe('id of your own; the same one again is the same episode'),
  max_steps: z.number().int().min(1).max(100_000).optional().describe('steps of the episode; default: 50'),
  max_validations: z
    .number()
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe('how often `validate` is scored; default: as the server was started, where the task has one split'),
  deadline_s: z
    .number()
    .positive()
    .max(2_592_000)
    .optional()
    .describe('the episode ends by then, scored from its files'),
  idle_s: z.number().positive().max(604_800).optional().describe('without a request for so long it is given up'),
  reward: episodeRewardSchema
    .optional()
    .describe('how it is rewarded: `{preset}`, or a mode with its keys; default: as the server was started'),
  agent: z
    .string()
    .min(1)
    .optional()
    .describe('agent configuration whose prompt and parser are used; default: episode'),
  group: z.string().min(1).max(200).optional().describe('episodes that are compared with each other'),
  policy_version: z
    .number()
    .int()
    .min(0)
    .max(MOST_INTEGER)
    .optional()
    .describe('of the policy that plays; an action may state a later one'),
  labels: z
    .record(z.string().min(1).max(100), z.union([z.string().max(1000), z.number(), z.boolean()]))
    .optional()
    .describe('whatever you want to find the episode by'),
  soft_step_s: z
    .number()
    .min(0)
    .max(86_400)
    .optional()
    .describe('a command that runs longer is answered with what it has printed, and continues; 0: never'),
  observation: z
    .enum(['message', 'full'])
    .optional()
    .describe('`full`: the observation holds all that is else beside it; default: message'),
  on_fault: z
    .enum(['error', 'null'])
    .optional()
    .describe('`null`: a fault of ours ends the episode with the reward null; default: it is an error'),
});
export type ResetRequest = z.output<typeof resetSchema>;

/** Continues an existing episode on a new connection. */
export const resumeSchema = z.strictObject({
  resume_episode: z.string().min(1).max(255).describe('id of an episode whose connection was lost'),
});

/** A verbatim command, or a model's whole reply for the agent's parser. */
export const actionSchema = z.union([z.strictObject({ command: z.string() }), z.strictObject({ reply: z.string() })]);
export type EpisodeAction = z.output<typeof actionSchema>;

/** Throws BenchError (usage) that names each wrong key. */
export function resetRequest(input: unknown): ResetRequest {
  const result = resetSchema.safeParse(input);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    );
    throw new BenchError('usage', problems.join('; '), {
      remedy: `A reset takes ${Object.keys(resetSchema.shape).join(', ')}.`,
    });
  }
  const { task, split, index, fork_of: forkOf, at_step: atStep } = result.data;
  const ways = [task, split, forkOf].filter((way) => way !== undefined).length;
  if (ways > 1)
    throw new BenchError('usage', 'task, split and fork_of exclude each other', {
      remedy: 'Name the task in one way.',
    });
  if ((split === undefined) !== (index === undefined))
    throw new BenchError('usage', split === undefined ? 'index without split' : 'split without index', {
      remedy: 'Give both, or neither.',
    });
  if ((forkOf === undefined) !== (atStep === undefined))
    throw new BenchError('usage', forkOf === undefined ? 'at_step without fork_of' : 'fork_of without at_step', {
      remedy: 'Give both, or neither.',
    });
  return result.data;
}
