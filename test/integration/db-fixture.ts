import { agentConfigSchema } from '../../domain/agent/config.js';
import { newBatchId, newRunId } from '../../domain/ids.js';
import type { EvaluationRecord, RunEnd } from '../../domain/run.js';
import type { Direction, Metrics } from '../../domain/score.js';
import { type TaskSpec, taskSchema } from '../../domain/task.js';
import type { BatchSubmission, Database, SubmittedRun } from '../../db/index.js';

export function task(id: string, direction: Direction = 'maximize', more: Partial<TaskSpec> = {}): TaskSpec {
  return {
    ...taskSchema.parse({
      schema: 1,
      id,
      name: `Task ${id}`,
      contract: 1,
      domain: 'test',
      description: 'Do it.',
      metrics: { score: { direction, description: 'the score', bounds: { min: -100, max: 100 } } },
      primary: 'score',
      submission: { files: ['answer.py'] },
      evaluator: { kind: 'game', module: 'answer', function: 'answer', timeoutSeconds: 77 },
    }),
    ...more,
  };
}

const agent = agentConfigSchema.parse({
  schema: 1,
  description: 'An agent.',
  systemTemplate: 's',
  taskTemplate: 't',
  nextStepTemplate: 'n',
  formatErrorTemplate: 'f',
});

export function run(batchId: string, spec: TaskSpec, model: string, attempt: number): SubmittedRun {
  return {
    runId: newRunId(),
    batchId,
    model: { name: model, kind: 'scripted', provider: 'scripted', model },
    sampling: { temperature: 0.5 },
    task: spec,
    taskHash: `hash-of-${spec.id}-${spec.contract}`,
    agentName: 'default',
    agentHash: 'agent-hash',
    agent,
    attempt,
    seed: 42 + attempt,
    maxSteps: 50,
    wallSeconds: 0,
    backend: 'docker',
    gpus: 0,
    costLimitUsd: '2.5',
    tokenLimit: 100_000,
    snapshotEvery: 5,
  };
}

export function submission(name: string | null, runsOf: (batchId: string) => SubmittedRun[]): BatchSubmission {
  const batchId = newBatchId();
  return {
    batch: {
      batchId,
      name,
      spec: { models: ['m'] },
      seed: 42,
      concurrency: 2,
      budgetUsd: null,
      harnessVersion: '0.0.0-test',
    },
    runs: runsOf(batchId),
  };
}

/** One stored run, ready for use. */
export async function oneRun(db: Database, spec = task('t'), over: Partial<SubmittedRun> = {}): Promise<SubmittedRun> {
  const batch = submission(null, (batchId) => [{ ...run(batchId, spec, 'm', 1), ...over }]);
  await db.submit(batch);
  return batch.runs[0] as SubmittedRun;
}

type Evaluation = Partial<Parameters<Database['store']['saveEvaluation']>[0]>;

/** Store an evaluation as the activity does: numbered first. */
export async function evaluate(
  db: Database,
  runId: string,
  step: number,
  kind: EvaluationRecord['kind'],
  outcome: number | 'rejected' | 'no_artefact' | 'evaluator_error',
  more: Evaluation = {},
): Promise<void> {
  const ok = typeof outcome === 'number';
  const metrics: Metrics | null = ok ? { score: outcome } : null;
  await db.store.saveEvaluation({
    runId,
    step,
    kind,
    status: ok ? 'ok' : outcome,
    metrics,
    primary: ok ? outcome : null,
    suspect: false,
    message: ok ? `score: ${outcome}` : outcome,
    submissionSha256: null,
    ms: 1.5,
    evaluationNumber: await db.store.evaluationNumber(runId, step, kind),
    isolation: 'container',
    ...more,
  });
}

export const SUBMITTED: RunEnd = { endReason: 'submit', finalEvaluation: 'ok', detail: null };
