import type { ForecastReads, PastRun, RunKind } from '../../domain/ports/reading/forecasts.js';
import { costUsd, priceAt } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { attemptsNeeded } from '../../domain/statistics/attempts-needed.js';
import { type KnownMean, simulateAuto } from '../../domain/statistics/auto-attempts.js';
import { forecastUsage, type PlannedRuns, type UsageRange } from '../../domain/statistics/forecast-usage.js';
import { believedSpread } from '../../domain/statistics/spread-of-gains.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { AttemptsForecast, BatchForecast } from '../../domain/views/forecast.js';
import { type BatchPlan, batchOf } from './batch-plan.js';
import { mostOfRun } from './most-of-run.js';

type Known = Pick<ForecastReads, 'pastRuns' | 'gainSpread' | 'meanGains'>;

/** Differences of mean gains that people ask about. */
const DIFFERENCES = [0.05, 0.1, 0.2];

/**
 * By how much the use of runs may differ from that of another agent's, or another harness's, as the
 * standard deviation of a logarithm: one in six uses more than 1.6 times, or twice, as much.
 */
const APART = { own: 0, agent: 0.5, import: 0.7 };
const FROM = { own: 'runs', agent: 'other_agent', import: 'imported' } as const;

/** Simulated batches with `attempts: auto`. */
const SIMULATED = 40;

interface Batch {
  concurrency: number;
  budgetUsd: string | null;
  /** With `attempts: auto`, of which `runs` are the first. */
  allocation?: Allocation | null;
}

/**
 * Cost and duration of these runs, and with `attempts: auto` of those that follow, from earlier
 * runs of the same model, agent and task; else from those of another agent; else from imported ones
 * of the same task, at this model's prices; else from 0 to their limits. A budget caps the cost.
 */
export async function forecastBatch(
  queries: Known,
  runs: readonly RunDefinition[],
  batch: Batch,
  now: Date,
): Promise<BatchForecast> {
  const kinds = byKind(runs);
  const past = kinds.map((): PastRun[] => []);
  for (const one of await queries.pastRuns(kinds.map(({ kind }) => kind))) past[one.nth]!.push(one);
  const auto = await autoLooks(queries, runs, batch.allocation ?? null);
  const planned = kinds.map(({ members: [first, ...others] }, nth): PlannedRuns & { source: PastRun['source'] } => {
    const found = past[nth]!;
    const source = found[0]?.source ?? 'own';
    const looks = auto?.(first);
    const most = mostOfRun(first, now);
    return {
      runs: 1 + others.length,
      past: found.map((one) => usageOf(one, first, now)),
      ...(looks === undefined ? {} : { looks }),
      ...{ source, apart: APART[source] },
      most: {
        usd: most.costUsd === null ? Infinity : Number(most.costUsd),
        tokens: most.tokens ?? Infinity,
        ms: most.seconds === null ? Infinity : most.seconds * 1000,
      },
    };
  });
  const { usd, tokens, ms } = forecastUsage(planned, batch.concurrency);
  return {
    costUsd: batch.budgetUsd === null ? usd : capped(usd, Number(batch.budgetUsd)),
    tokens,
    hours: scaled(ms, 1 / 3_600_000),
    attempts: await attemptsFor(queries, runs),
    evidence: kinds.map(({ kind: { model, agent, task } }, nth) => {
      const { runs: first, looks, past: known, source } = planned[nth]!;
      const from = known.length === 0 ? 'limits' : FROM[source];
      const count = looks === undefined ? first : median(looks.map((one) => one.reduce((sum, more) => sum + more, 0)));
      return { model, agent, task, runs: count, from, basedOnRuns: known.length };
    }),
  };
}

/** How many attempts each look begins of a run's model at its task, [batch][look]; null: fixed. */
async function autoLooks(
  queries: Known,
  runs: readonly RunDefinition[],
  allocation: Allocation | null,
): Promise<((run: RunDefinition) => number[][] | undefined) | null> {
  if (allocation === null) return null;
  const ids = (of: (run: RunDefinition) => string, from: readonly RunDefinition[]) => [...new Set(from.map(of))];
  const models = ids(({ model }) => model.name, runs);
  // Others have no gains, so they get no more than the first attempts.
  const tasks = ids(
    ({ task }) => task.id,
    runs.filter(({ task }) => task.target !== undefined),
  );
  const found = await queries.gainSpread({ models, tasks });
  const spread = believedSpread(found?.spread ?? 0, found?.freedom ?? 0);
  const means = await queries.meanGains({ models, tasks, agents: ids(({ agentName }) => agentName, runs) });
  const known = models.map((model): KnownMean => {
    const one = means.find((mean) => mean.model === model);
    if (one === undefined) return null;
    return { mean: one.mean, standardError: (spread * Math.sqrt(one.inverseAttempts)) / tasks.length };
  });
  const batches = simulateAuto({ tasks: tasks.length, models: known, spread }, allocation, SIMULATED);
  return ({ model, task }) => {
    const [t, m] = [tasks.indexOf(task.id), models.indexOf(model.name)];
    return t < 0 ? undefined : batches.map((looks) => looks.map((ofTasks) => ofTasks[t]![m]!));
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!;

export interface ForecastPlanPorts {
  ifDatabaseAnswers<T>(read: (stores: { queries: Known }) => Promise<T>): Promise<T | null>;
}

/** The same for a plan, starting nothing: without a database no past run is known. */
export async function forecastPlan(ports: ForecastPlanPorts, plan: BatchPlan, now: Date): Promise<BatchForecast> {
  const batch = batchOf(plan);
  const of = (queries: Known) => forecastBatch(queries, plan.runs, batch, now);
  return (
    (await ports.ifDatabaseAnswers(({ queries }) => of(queries))) ??
    of({ pastRuns: async () => [], gainSpread: async () => null, meanGains: async () => [] })
  );
}

async function attemptsFor(queries: Known, runs: readonly RunDefinition[]): Promise<AttemptsForecast | null> {
  const tasks = [...new Set(runs.map(({ task }) => task.id))];
  const models = [...new Set(runs.map(({ model }) => model.name))];
  const found = await queries.gainSpread({ models, tasks });
  if (found === null) return null;
  const spread = believedSpread(found.spread, found.freedom);
  const needed = DIFFERENCES.map((difference) => ({
    difference,
    attempts: attemptsNeeded({ spread, tasks: tasks.length, difference }),
  }));
  return { spread, basedOnAttempts: found.attempts, ownModels: found.own, needed };
}

type Members = [RunDefinition, ...RunDefinition[]];

/** Groups runs that differ only in their attempt, in the order of the batch. */
function byKind(runs: readonly RunDefinition[]): { kind: RunKind; members: Members }[] {
  const kinds = new Map<string, { kind: RunKind; members: Members }>();
  for (const run of runs) {
    const kind = { model: run.model.name, agent: run.agentName, task: run.task.id, sample: run.sample ?? false };
    const limits = [run.maxSteps, run.wallSeconds, run.costLimitUsd ?? null, run.tokenLimit ?? 0];
    const key = JSON.stringify([kind, run.taskHash, limits]);
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { kind, members: [run] });
    else known.members.push(run);
  }
  return [...kinds.values()];
}

function usageOf(past: PastRun, { model, wallSeconds }: RunDefinition, now: Date): PlannedRuns['past'][number] {
  const tokens = past.inputTokens + past.outputTokens;
  const ms = past.ms === null || wallSeconds === 0 ? past.ms : Math.min(past.ms, wallSeconds * 1000);
  if (past.source !== 'import') return { usd: Number(past.costUsd), tokens, ms };
  const price = model.config === undefined ? null : priceAt(model.config.prices, now);
  if (price === null) return { usd: 0, tokens: model.config === undefined ? 0 : tokens, ms };
  // The sums of a run do not say which prompts were long.
  const { longPrompt: _long, ...short } = price;
  return { usd: Number(costUsd(short, past)), tokens, ms };
}

const each = ({ low, expected, high }: UsageRange, change: (value: number) => number): UsageRange => ({
  low: change(low),
  expected: expected === null ? null : change(expected),
  high: high === null ? null : change(high),
});
const scaled = (range: UsageRange, factor: number): UsageRange => each(range, (value) => value * factor);
const capped = (range: UsageRange, cap: number): UsageRange =>
  each({ ...range, high: range.high ?? cap }, (value) => Math.min(value, cap));
