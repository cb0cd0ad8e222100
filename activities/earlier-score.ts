import type { EarlierScore, EvaluationLog } from '../domain/ports/record/evaluations.js';
import type { RunDefinition } from '../domain/run/run.js';
import type { Split } from '../domain/task/task.js';

/**
 * The score that the run's same submission has: evaluating it again could only draw another. Null: it has none, or its evaluation
 * failed for our reasons, or the tests see more than the submission, the agent's own processes.
 */
export async function earlierScore(
  store: Pick<EvaluationLog, 'earlierScore'>,
  { runId, task: { evaluator } }: RunDefinition,
  submissionSha256: string,
  split: Split,
): Promise<EarlierScore | null> {
  if (evaluator.kind === 'harbor' && evaluator.verification === 'live') return null;
  return await store.earlierScore(runId, submissionSha256, split);
}
