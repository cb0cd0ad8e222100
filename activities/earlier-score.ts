import type { EarlierScore, EvaluationLog } from '../domain/ports/record/evaluations.js';
import type { RunDefinition } from '../domain/run/run.js';
import type { Split } from '../domain/task/task.js';

/** Null: no score, our failure, or live tests, whose result depends on the agent's processes. */
export async function earlierScore(
  store: Pick<EvaluationLog, 'earlierScore'>,
  { runId, task: { evaluator } }: RunDefinition,
  submissionSha256: string,
  split: Split,
): Promise<EarlierScore | null> {
  if (evaluator.kind === 'harbor' && evaluator.verification === 'live') return null;
  return await store.earlierScore(runId, submissionSha256, split);
}
