import { z } from 'zod';
import { modeError, REWARD_MODES, REWARD_PRESET_NAMES } from './reward.js';
import { BACKENDS } from '../run/run.js';
import { batchName, duration, names, whole } from './fields.js';
import { episodeOptionsSchema } from './run-options.js';

/** `train=battleOfSexes,blotto`; a part without a name continues the list before it. */
const splits = () =>
  z
    .array(z.string().min(1))
    .min(1)
    .superRefine((parts, context) => {
      if (parts[0]?.includes('=') !== true)
        context.addIssue({ code: 'custom', message: 'must begin with a name, as train=battleOfSexes' });
      for (const part of parts)
        if (part.includes('=') && !/^[A-Za-z][A-Za-z0-9_-]{0,63}=[^=]+$/.test(part))
          context.addIssue({
            code: 'custom',
            message: `must be a name and tasks, as train=battleOfSexes, not ${part}`,
          });
    });

/** Ids of tasks or suites by list. */
function namedSplits(parts: readonly string[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  let last: string[] = [];
  for (const part of parts) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at));
    if (at >= 0) lists.set(name, (last = lists.get(name) ?? []));
    last.push(part.slice(at + 1));
  }
  return lists;
}

/** Ids or suites. */
export function servedTasks({ tasks, split = [] }: Pick<EnvServe, 'tasks' | 'split'>): {
  tasks: string[];
  splits: Map<string, string[]>;
} {
  const lists = namedSplits(split);
  const listed = [...lists.values()].flat();
  return {
    tasks: [...new Set([...(tasks ?? (listed.length === 0 ? ['battleOfSexes'] : [])), ...listed])],
    splits: lists,
  };
}

/** Flags of `bench env serve`, options of the library. */
export const envServeSchema = z.strictObject({
  tasks: names().optional().meta({
    description: 'tasks to serve: ids, suites, or `all`; default: the tasks of the splits, or battleOfSexes',
    placeholder: 'names',
  }),
  split: splits().optional().meta({
    description:
      'a split and its tasks, such as train=mlgym or test=blotto,3SAT; repeatable. Default: train, with all tasks',
    placeholder: 'name=names',
  }),
  name: batchName().default('episodes').describe('batch that stores the episodes; an existing one is continued'),
  backend: z.enum(BACKENDS).nullable().default(null).meta({
    description: 'where episodes live; default: docker or podman, whichever answers',
    placeholder: 'backend',
  }),
  agent: z
    .string()
    .min(1)
    .default('episode')
    .meta({ description: 'agent configuration: prompts, and the parser of whole replies', placeholder: 'name' }),
  maxSteps: whole(1, 100_000).default(50).describe('steps per episode, unless its reset says otherwise'),
  maxValidations: whole(0, 100_000)
    .default(10)
    .describe(
      'validations per episode of a task with a single split, whose scores rank, unless the reset says otherwise',
    ),
  reward: z
    .enum([...REWARD_MODES, ...REWARD_PRESET_NAMES], { error: ({ input }) => modeError(input) })
    .default('delta_prev')
    .meta({
      description: 'reward of episodes, unless the reset says otherwise: a mode or a preset',
      placeholder: 'name',
    }),
  ...episodeOptionsSchema.shape,
  capacity: whole(1, 100_000).default(64).describe('episodes that may be open at once'),
  fullWait: duration().default(45).describe('how long a reset waits for a free place before it is refused'),
  idle: duration().default(3600).describe('end an episode after this long without a request, such as 90s, 30m or 2h'),
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .meta({ description: 'address to listen on; any but loopback needs a token', placeholder: 'address' }),
  allowHost: names().optional().meta({
    description: 'further names by which clients reach the server, such as trainer.example.org or trainer:9000',
    placeholder: 'names',
  }),
  token: z.boolean().default(true).describe('require a token'),
  port: whole(0, 65_535).default(8123).describe('port to listen on; 0: any free port'),
  allowLocal: z.boolean().default(false).describe('allow the local backend, which isolates nothing'),
  grace: duration()
    .default(60)
    .describe('how long to keep the episode of a client without a session key after its connection is lost'),
});
export type EnvServe = z.output<typeof envServeSchema>;
