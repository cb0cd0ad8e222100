import { evaluationMessage, type Outcome } from '../agent/evaluation-message.js';
import type { SplitScore } from '../run/run.js';
import type { Metrics } from '../run/score.js';
import type { Split, TaskSpec } from './task.js';

/** Outside a metric's bounds, which honest submissions cannot be. Not strictly ranked. */
function isSuspect(task: Pick<TaskSpec, 'metrics'>, metrics: Metrics): boolean {
  return Object.entries(metrics).some(([name, value]) => {
    const bounds = task.metrics[name]?.bounds;
    return (bounds?.min !== undefined && value < bounds.min) || (bounds?.max !== undefined && value > bounds.max);
  });
}

export function splitScore(task: TaskSpec, outcome: Outcome): SplitScore {
  const metrics = outcome.kind === 'ok' ? outcome.metrics : null;
  return {
    status: outcome.kind,
    metrics,
    primary: metrics?.[task.primary] ?? null,
    suspect: metrics !== null && isSuspect(task, metrics),
    message: evaluationMessage(task, outcome),
  };
}

/**
 * An unevaluated split fails as the one before it. Any suspect split makes the test's score
 * suspect: the same submission made both.
 */
export function splitScores(
  task: TaskSpec,
  outcomes: ReadonlyMap<Split, Outcome>,
): { test: SplitScore; others: ({ split: Split } & SplitScore)[] } {
  const failed = [...outcomes.values()].find(({ kind }) => kind !== 'ok');
  const scoreOf = (split: Split): SplitScore => {
    const outcome = outcomes.get(split) ?? failed;
    if (outcome === undefined) throw new Error(`an evaluation without an outcome on ${split}`);
    return splitScore(task, outcome);
  };
  const others = task.splits.filter((split) => split !== 'test').map((split) => ({ split, ...scoreOf(split) }));
  const test = scoreOf('test');
  return {
    test: { ...test, suspect: test.metrics !== null && (test.suspect || others.some((o) => o.suspect)) },
    others,
  };
}
