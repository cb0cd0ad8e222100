import type { RunSummary } from '../../domain/views/runs.js';

/** All null: nothing is known yet. */
export interface Forecast {
  /** Milliseconds until the last run ends. */
  remainingMs: number | null;
  /** US dollars when all have ended, spent ones included. */
  expectedUsd: number | null;
}

interface Expected {
  ms: number;
  usd: number;
}

type Run = Pick<
  RunSummary,
  'model' | 'task' | 'status' | 'endReason' | 'steps' | 'maxSteps' | 'costUsd' | 'startedAt' | 'endedAt'
>;

/** Ends that say nothing of how long a run takes. */
const UNTYPICAL = ['infra_error', 'config_error', 'cancelled'];

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Means of a whole run, over those that the agent ended; before the first of them, the pace per
 * step of running ones times their step limits, an upper bound.
 */
function expectation(runs: readonly Run[], now: number): Expected | null {
  const ended = runs.filter(
    (run) => run.startedAt !== null && run.endedAt !== null && !UNTYPICAL.includes(run.endReason ?? ''),
  );
  if (ended.length > 0)
    return {
      ms: mean(ended.map((run) => Date.parse(run.endedAt ?? '') - Date.parse(run.startedAt ?? ''))),
      usd: mean(ended.map((run) => Number(run.costUsd))),
    };
  const paced = runs.filter((run) => run.status !== 'ended' && run.startedAt !== null && run.steps > 0);
  if (paced.length === 0) return null;
  const whole = (run: Run, sofar: number): number => (sofar / run.steps) * run.maxSteps;
  return {
    ms: mean(paced.map((run) => whole(run, now - Date.parse(run.startedAt ?? '')))),
    usd: mean(paced.map((run) => whole(run, Number(run.costUsd)))),
  };
}

/** Per run: from its model on its task, else from its model, else from all. */
export function expectations(runs: readonly Run[], now: number): (run: Run) => Expected | null {
  const known = new Map<string, Expected | null>();
  const of = (key: string, members: () => readonly Run[]): Expected | null => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = expectation(members(), now)));
    return value;
  };
  return ({ model, task }) =>
    of(`cell ${model} ${task}`, () => runs.filter((run) => run.model === model && run.task === task)) ??
    of(`model ${model}`, () => runs.filter((run) => run.model === model)) ??
    of('all', () => runs);
}

/** What a started run still needs: 0 when it has ended, never negative. */
export function leftOfRun(run: Run, expected: Expected | null, now: number): number | null {
  if (run.status === 'ended') return 0;
  if (expected === null) return null;
  return Math.max(0, expected.ms - (run.startedAt === null ? 0 : now - Date.parse(run.startedAt)));
}

/**
 * Time left: the total of all unfinished runs divided by the places (`concurrency`, or fewer runs),
 * at least the longest of them. Spend: spent, plus what each unfinished run's expectation exceeds
 * its cost by. A run without an expectation makes both unknown.
 */
export function forecast(
  runs: readonly Run[],
  concurrency: number,
  now: number,
  among: readonly Run[] = runs,
): Forecast {
  const expect = expectations(among, now);
  const spent = runs.reduce((sum, run) => sum + Number(run.costUsd), 0);
  const open = runs.filter((run) => run.status !== 'ended');
  const left = open.map((run) => leftOfRun(run, expect(run), now));
  if (left.some((ms) => ms === null)) return { remainingMs: null, expectedUsd: null };
  const known = left as number[];
  const together = known.reduce((sum, ms) => sum + ms, 0);
  const places = Math.max(1, Math.min(concurrency, open.length));
  return {
    remainingMs: Math.max(together / places, ...known, 0),
    expectedUsd: spent + open.reduce((sum, run) => sum + Math.max(0, (expect(run)?.usd ?? 0) - Number(run.costUsd)), 0),
  };
}
