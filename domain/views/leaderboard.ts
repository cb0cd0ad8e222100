import { z } from 'zod';
import { INCLUDED, type Included, leaderboardMetricSchema, leaderboardModeSchema } from '../requests/comparison.js';
import {
  batchIdSchema,
  countSchema,
  directionSchema,
  integrityRuleSchema,
  modelKindSchema,
  runIdSchema,
  scoredIsolationSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

type LeaderboardMetric = z.infer<typeof leaderboardMetricSchema>;

export type { LeaderboardOrder } from '../results/leaderboard-order.js';

type LeaderboardMode = z.infer<typeof leaderboardModeSchema>;

/** What is compared, and by which rules: all that a saved comparison fixes. */
export interface ComparisonOptions {
  batchId?: string | undefined;
  models?: string[] | undefined;
  /** Ids; `id@contract`: of that contract. Without one, the newest that has runs is compared. */
  tasks?: string[] | undefined;
  /** Only the first k counted runs of each (model, task); default: all. */
  k?: number | undefined;
  /** Length of the profiles' axis in log10 units; default: as the data give it. */
  axis?: number | undefined;
  /** The attempts that the order is about; default best-attempt. */
  metric?: LeaderboardMetric | undefined;
  /** strict (default): suspect scores do not count; compat: they do. */
  mode?: LeaderboardMode | undefined;
  /** What would else not count (suspect scores), or be listed without a rank. */
  include?: readonly Included[] | undefined;
  /** Runs on sample data, and tasks that need no data; default: runs on real data, and those. */
  sample?: boolean | undefined;
  /**
   * Runs under this profile of their task, and tasks without it; default: the tasks' own budgets,
   * with `sample` those of sample data. A profile of no submitted task: BenchError, usage.
   */
  profile?: string | undefined;
}

export interface LeaderboardOptions extends ComparisonOptions {
  /** A saved comparison, which excludes all options above but `metric`. Unknown: not_found. */
  view?: string | undefined;
  /** Of the newest batch with a run that counts; of every batch if there is none. */
  newest?: boolean | undefined;
  /** With intervals, P(best) and groups; default false. */
  intervals?: boolean | undefined;
}

const scoreStatusSchema = z
  .enum(['feasible', 'infeasible', 'missing', 'not_run'])
  .meta({ id: 'ScoreStatus', description: "against the task's baseline; `not_run`: only the infrastructure failed" });
export type ScoreStatus = z.infer<typeof scoreStatusSchema>;

const rank = z.number().nullable();
const rankAtTask = rank.describe('ties share the mean');
const ratio = z
  .number()
  .nullable()
  .describe("to the task's best, at least 1; a failure's is its penalty; null: not compared, or not feasible");
const attemptScores = z.array(scoreSchema);
const gainAtTask = scoreSchema.describe('mean gain of its attempts; null: not compared, or the task has no target');

const leaderboardScoreSchema = z
  .strictObject({
    best: scoreSchema,
    last: scoreSchema,
    mean: scoreSchema,
    bestGain: gainAtTask,
    lastGain: gainAtTask,
    bestRank: rankAtTask,
    lastRank: rankAtTask,
    bestStatus: scoreStatusSchema.nullable().describe('null: not compared'),
    lastStatus: scoreStatusSchema.nullable().describe('null: not compared'),
    bestRatio: ratio,
    lastRatio: ratio,
    bestRun: runIdSchema.nullable().describe('where the score is from'),
    lastRun: runIdSchema.nullable().describe('where the score is from'),
    bestAttempts: attemptScores.describe('of each counted run'),
    lastAttempts: attemptScores.describe('of each counted run'),
    attempts: countSchema.describe('all runs submitted'),
    ended: countSchema,
    counted: countSchema.describe("the first k that ended by the agent's doing"),
    scored: countSchema,
    infraErrors: countSchema,
    configErrors: countSchema,
    cancelled: countSchema,
    refused: countSchema.describe('ended by a refusal of the model'),
    suspect: countSchema.describe('evaluations'),
    costUsd: usdSchema,
  })
  .meta({ id: 'Score', description: 'What a row has at one task.' });
export type LeaderboardScore = z.infer<typeof leaderboardScoreSchema>;

const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });

const interval = intervalSchema.nullable().describe('null: nothing to draw');

const leaderboardUncertaintySchema = z
  .strictObject({
    bestWinRate: interval,
    lastWinRate: interval,
    bestGain: interval,
    lastGain: interval,
    pBest: z
      .strictObject({ best: z.number(), last: z.number() })
      .nullable()
      .describe('share of the resamples in which the model is first by what orders the rows'),
    group: z
      .string()
      .nullable()
      .describe('letters: models with the same letter are not significantly different by what orders the rows'),
  })
  .meta({ id: 'Uncertainty', description: 'Intervals of 95 %: were there other tasks and attempts of the same kind.' });
export type LeaderboardUncertainty = z.infer<typeof leaderboardUncertaintySchema>;

const profileStepSchema = z.tuple([z.number(), z.number()]).readonly();
const profilesSchema = z.strictObject({ best: z.array(profileStepSchema), last: z.array(profileStepSchema) });
const area = z.number().nullable();
const areaOfProfile = area.describe(
  'area under its profile: 0 to 1, in compat mode up to T; null: not ranked, or nothing to compare',
);

const figure = z.number().nullable();
const kinds = z.strictObject({ best: figure, last: figure }).nullable();
const curve = z.array(z.strictObject({ k: countSchema, gain: z.number(), improved: z.number() }));

const leaderboardRowSchema = z
  .strictObject({
    rank: countSchema.nullable().describe('by `comparison.order`; equal ones share a rank; null: not ranked'),
    unranked: z
      .enum(['import', 'isolation', 'kind', 'never_ran', 'spoiler'])
      .nullable()
      .describe('why it is not ranked'),
    model: z.string(),
    kind: modelKindSchema,
    isolation: scoredIsolationSchema,
    winRate: kinds.describe(
      'the chance that an attempt of the model beats an attempt of another model at one of these tasks, a tie being half a win; null: not ranked, or the only model',
    ),
    gain: kinds.describe(
      'mean progress over tasks and attempts from the baseline (0) to the target (1); null: not ranked, or no task has a target',
    ),
    curve: z
      .strictObject({ best: curve, last: curve })
      .nullable()
      .describe(
        'of k attempts: the expected best gain, and the chance that one of them improves on the baseline; null: not ranked',
      ),
    bestAup: areaOfProfile,
    lastAup: areaOfProfile,
    withSuspects: z
      .strictObject({ bestAup: area, lastAup: area })
      .nullable()
      .describe('if suspect scores counted, where that differs; else null'),
    intervals: leaderboardUncertaintySchema.nullable().describe('null: not ranked'),
    profile: profilesSchema
      .nullable()
      .describe(
        'steps: from this log10 ratio on, the model is within the factor at this share of the tasks; null: not ranked',
      ),
    improvedTasks: countSchema.nullable().describe('best score better than the baseline, beyond its noise'),
    missingTasks: countSchema.nullable().describe('without a score'),
    notRunTasks: countSchema.nullable().describe('only the infrastructure failed'),
    averageRank: rank,
    attempts: countSchema,
    ended: countSchema,
    infraErrors: countSchema,
    configErrors: countSchema,
    cancelled: countSchema,
    refused: countSchema.describe('ended by a refusal of the model'),
    suspect: countSchema,
    flags: z.partialRecord(integrityRuleSchema, countSchema).describe('runs by the rule that flagged them'),
    costUsd: usdSchema.nullable().describe('without runs of unknown cost; null: none is known'),
    costPerRunUsd: usdSchema.nullable().describe('per ended run of known cost, with repetitions; null: none is known'),
    unknownCosts: countSchema.describe('imported runs whose cost is not known: `costUsd` is at least that'),
    costKind: z
      .enum(['charged', 'list', 'recorded'])
      .describe(
        'charged: by this home; with imported runs list: all tokens at the prices of `comparison.priceList`, recorded: with what their harness recorded',
      ),
    inputTokens: countSchema,
    outputTokens: countSchema,
    scores: z.record(z.string(), leaderboardScoreSchema).describe('by task'),
  })
  .meta({ id: 'LeaderboardRow' });
export type LeaderboardRow = z.infer<typeof leaderboardRowSchema>;

const leaderboardTaskSchema = z
  .strictObject({
    task: z.string(),
    name: z.string(),
    contract: countSchema,
    primary: z.string(),
    direction: directionSchema,
    baseline: scoreSchema,
    standardError: scoreSchema.describe('of the baseline'),
    target: scoreSchema.describe('known optimum or best known score, worth a gain of 1'),
    ranking: z.string().nullable().describe('where contracts of the task rank by other metrics: which and why'),
    compared: z.boolean().describe('part of the figures: a ranked model was submitted for it'),
  })
  .meta({ id: 'LeaderboardTask' });
export type LeaderboardTask = z.infer<typeof leaderboardTaskSchema>;

export const changedBaselineSchema = z.strictObject({ task: z.string(), saved: scoreSchema, now: scoreSchema });

const savedComparisonStateSchema = z
  .strictObject({
    name: z.string(),
    createdAt: timeSchema,
    otherModels: z.array(z.string()).describe('with runs at its tasks, not compared'),
    newRuns: z
      .array(z.strictObject({ model: z.string(), task: z.string(), runs: countSchema }))
      .describe('ended since; they change its figures'),
    otherContracts: z
      .array(z.strictObject({ task: z.string(), contract: countSchema, runs: countSchema }))
      .describe('runs that it omits'),
    changedBaselines: z.array(changedBaselineSchema).describe('baselines that are others by now'),
  })
  .meta({ id: 'SavedState', description: 'What a saved comparison omits, and what is new since then.' });
export type SavedComparisonState = z.infer<typeof savedComparisonStateSchema>;

const priceDaysSchema = z
  .strictObject({
    model: z.string(),
    from: z.string().describe('day from which its price in force holds'),
    checked: z.string().nullable().describe('`pricesChecked` of its file; null: never'),
  })
  .meta({ id: 'PriceDays', description: 'How old the prices of a model are, by the newest file submitted of it.' });

export const comparedSchema = z
  .strictObject({
    models: z.array(z.string()),
    tasks: z.array(z.string()),
    k: countSchema.nullable().describe('the first k runs of each model and task; null: all'),
    T: z.number().nullable().describe("length of the profiles' axis in log10 units; null: nothing is ranked"),
    mode: leaderboardModeSchema,
    metric: leaderboardMetricSchema,
    order: z.enum(['win-rate', 'rank']).describe('orders the rows'),
    separation: z
      .strictObject({ pairs: countSchema, resolved: countSchema })
      .nullable()
      .describe('pairs of ranked models whose difference has an interval without zero; null: of one task'),
    priceList: z.string().nullable().describe('of the list costs; null: there are none'),
    prices: z.array(priceDaysSchema),
    include: z.array(z.enum(INCLUDED)).describe('suspect: such scores count; the others: such rows rank'),
    sample: z.boolean().describe('on sample data'),
    profile: z.string().describe("`default`: the tasks' own budgets"),
    otherProfiles: z
      .array(z.strictObject({ profile: z.string(), runs: countSchema }))
      .describe('ended runs that are omitted'),
    batchId: batchIdSchema.nullable(),
    batchName: z.string().nullable(),
    newest: z.boolean().describe('the batch is the newest with a run that counts, by default'),
    saved: savedComparisonStateSchema.nullable(),
  })
  .meta({ id: 'Comparison', description: 'What is compared, and by which rules.' });

export const leaderboardSchema = z
  .strictObject({
    comparison: comparedSchema,
    tasks: z.array(leaderboardTaskSchema),
    baseline: z
      .strictObject({
        bestAup: z.number(),
        lastAup: z.number(),
        averageRank: rank,
        profile: profilesSchema,
      })
      .nullable()
      .describe('the starters, as one more method; null: no task has a baseline'),
    rows: z.array(leaderboardRowSchema),
  })
  .meta({ id: 'Leaderboard' });
export type Leaderboard = z.infer<typeof leaderboardSchema>;
