import { z } from 'zod';
import type { SamplingParameters } from '../model/model.js';
import type { TaskSpec } from '../task/task.js';
import { between, duration, names, usd, whole, wholeOrAuto } from './fields.js';

/**
 * The only declaration of run options: flags, batch files, HTTP bodies and stored options derive
 * from it. A new option takes three edits: here, its column in db/schema/runs.ts if runs keep it
 * (`KEPT`), and its use.
 */
export const runOptionsSchema = z.strictObject({
  agent: z.string().min(1).default('default').meta({ description: 'agent configuration', placeholder: 'name' }),
  attempts: wholeOrAuto(1, 10_000)
    .default(4)
    .describe('attempts per model and task; `auto`: more where the order of the models is least certain'),
  maxSteps: whole(1, 100_000).default(50).describe('step limit of each run'),
  wallTime: duration()
    .nullable()
    .default(null)
    .describe("time limit of each run, such as 90s, 30m or 2h; 0: none; default: the task's, or none"),
  gpusPerRun: whole(0, 64).nullable().default(null).describe('GPUs per run; default: what the task asks for'),
  temperature: between(0, 2, 't').optional().describe("sampling temperature; default: each model's own"),
  topP: between(0, 1, 'p').optional().describe("sampling top-p; default: each model's own"),
  maxOutputTokens: whole(1).optional().describe("token limit of each reply; default: each model's own"),
  costLimit: usd().nullable().default(null).describe('cap on what each run spends on model calls, in US dollars'),
  tokenLimit: whole(0).default(0).describe('token limit of each run, input and output; 0: none'),
  allowUnpriced: z.boolean().default(false).describe('allow models without a price; their calls count as free'),
  memory: z.boolean().default(false).describe('give runs a memory of earlier runs of the same task and model'),
  snapshotEvery: whole(0, 100_000)
    .nullable()
    .default(null)
    .describe('steps between snapshots of the workspace; 0: none; default: as the task says'),
  sample: z
    .boolean()
    .default(false)
    .describe('play on sample data where tasks have some; such scores are marked and ranked apart'),
  profile: z.string().min(1).nullable().default(null).meta({
    description:
      "profile of task.yaml to play under, where tasks have it; default: the task's own budget, on sample data `cpu`",
    placeholder: 'name',
  }),
  skipUnavailable: z
    .boolean()
    .default(false)
    .describe('skip tasks without data or unsupported by the backend, and list them'),
});
export type RunOptions = z.output<typeof runOptionsSchema>;
export type RunOption = keyof RunOptions;

/** Numbers that runs keep in columns of the same name; shown among a run's limits. */
export const KEPT_LIMITS = ['maxSteps', 'tokenLimit', 'snapshotEvery'] as const satisfies readonly RunOption[];
export const KEPT = [...KEPT_LIMITS, 'memory'] as const satisfies readonly RunOption[];
type Kept = (typeof KEPT)[number];
/** After the task's defaults. */
export type KeptOptions = { [Key in Kept]: NonNullable<RunOptions[Key]> };

/** An unset option (null or absent) has the value of the task's key of the same name. */
const decided = <Key extends Kept>(key: Key, options: Partial<Pick<RunOptions, Key>>, task: TaskSpec) =>
  options[key] ?? (task as Partial<KeptOptions>)[key];

export const keptOptions = (options: Pick<RunOptions, Kept>, task: TaskSpec): KeptOptions =>
  Object.fromEntries(KEPT.map((key) => [key, decided(key, options, task)])) as KeptOptions;

export const keepsSnapshots = (options: Partial<Pick<RunOptions, Kept>>, task: TaskSpec): boolean =>
  decided('snapshotEvery', options, task) !== 0;

/** Options that an environment sets for its episodes as a batch does for its runs. */
export const episodeOptionsSchema = runOptionsSchema.pick({ snapshotEvery: true, sample: true });
export type EpisodeOptions = z.output<typeof episodeOptionsSchema>;

/** Drops other keys. */
export const episodeOptions = (options: EpisodeOptions): EpisodeOptions => episodeOptionsSchema.strip().parse(options);

/** Overrides of each model's own parameters. */
export const samplingOf = ({ temperature, topP, maxOutputTokens }: RunOptions): SamplingParameters => ({
  ...(temperature !== undefined && { temperature }),
  ...(topP !== undefined && { topP }),
  ...(maxOutputTokens !== undefined && { maxOutputTokens }),
});

/** Models × tasks × attempts, with the same options. */
export const groupSchema = z.strictObject({
  models: names().describe('models to run'),
  tasks: names().meta({ description: 'task ids or suites, or `all`', placeholder: 'names' }),
  ...runOptionsSchema.shape,
});
export type GroupRequest = z.output<typeof groupSchema>;
