import type { ForecastReads, PastRun, RunKind } from '../../domain/ports/reading/forecasts.js';
import { costUsd, priceAt } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { attemptsNeeded } from '../../domain/statistics/attempts-needed.js';
import { forecastUsage, type PlannedRuns, type UsageRange } from '../../domain/statistics/forecast-usage.js';
import { believedSpread } from '../../domain/statistics/spread-of-gains.js';
import type { AttemptsForecast, BatchForecast } from '../../domain/views/forecast.js';
import { type BatchPlan, batchOf } from './batch-plan.js';
import { mostOfRun } from './most-of-run.js';

type Known = Pick<ForecastReads, 'pastRuns' | 'gainSpread'>;

/** Differences of mean gains that people ask about. */
const DIFFERENCES = [0.05, 0.1, 0.2];

/**
 * Cost and duration of these runs, from earlier runs of the same model, agent and task; else from
 * imported ones of the same task, at this model's prices; else from 0 to their limits. A budget
 * caps the cost.
 */
export async function forecastBatch(
  queries: Known,
  runs: readonly RunDefinition[],
  batch: { concurrency: number; budgetUsd: string | null },
  now: Date,
): Promise<BatchForecast> {
  const kinds = byKind(runs);
  const past = kinds.map((): PastRun[] => []);
  for (const one of await queries.pastRuns(kinds.map(({ kind }) => kind))) past[one.nth]!.push(one);
  const planned = kinds.map(({ members: [first, ...others] }, nth): PlannedRuns & { own: boolean } => {
    const found = past[nth]!;
    const most = mostOfRun(first, now);
    return {
      runs: 1 + others.length,
      past: found.map((one) => usageOf(one, first, now)),
      own: found[0]?.own ?? false,
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
      const { runs: count, past: known, own } = planned[nth]!;
      const from = known.length === 0 ? 'limits' : own ? 'runs' : 'imported';
      return { model, agent, task, runs: count, from, basedOnRuns: known.length };
    }),
  };
}

export interface ForecastPlanPorts {
  ifDatabaseAnswers<T>(read: (stores: { queries: Known }) => Promise<T>): Promise<T | null>;
}

/** The same for a plan, starting nothing: without a database no past run is known. */
export async function forecastPlan(ports: ForecastPlanPorts, plan: BatchPlan, now: Date): Promise<BatchForecast> {
  const batch = batchOf(plan);
  const of = (queries: Known) => forecastBatch(queries, plan.runs, batch, now);
  return (
    (await ports.ifDatabaseAnswers(({ queries }) => of(queries))) ??
    of({ pastRuns: async () => [], gainSpread: async () => null })
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
  if (past.own) return { usd: Number(past.costUsd), tokens, ms };
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
