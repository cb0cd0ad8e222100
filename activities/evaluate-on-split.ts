import { createHmac } from 'node:crypto';
import { HostLeft } from '../domain/errors.js';
import type { Departure } from '../domain/ports/departure.js';
import type { EvaluationOutcome } from '../domain/ports/evaluator-port.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { EvaluationKind, RunDefinition } from '../domain/run.js';
import type { Split } from '../domain/task.js';
import type { Backends } from '../domain/ports/backends.js';

export interface SplitPorts {
  store: EventLog;
  backends: Backends;
  taskFolder: (run: RunDefinition) => Promise<string>;
  /** The installation's key, which keeps evaluators' seeds unpredictable. */
  secret: string;
  /** Absent: this host stays. */
  departure?: Pick<Departure, 'underWay'>;
}

/** Evaluate a submission on one split, in a fresh container. */
export async function evaluateOnSplit(
  { store, backends, taskFolder, secret, departure }: SplitPorts,
  wanted: { run: RunDefinition; step: number; kind: EvaluationKind; number: number; fromStep?: number | null },
  split: Split,
  submission: SubmissionFile[],
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const { run, step, kind, number, fromStep = null } = wanted;
  const source = fromStep === null ? '' : `-of-${fromStep}`;
  const job = {
    id: `${run.runId}-${step}-${kind}${source}${split === 'test' ? '' : `-${split}`}`,
    task: run.task,
    taskDir: await taskFolder(run),
    submission,
    split,
    seed: evaluationSeed(secret, run, number, split),
  };
  const { evaluator } = backends[run.backend];
  const outcome = await evaluator.evaluate(job, signal);
  // Who ends the machine may have ended the submission's processes first: it is evaluated again elsewhere.
  if (outcome.kind !== 'ok' && (await departure?.underWay()) === true)
    throw new HostLeft(`run ${run.runId}: its evaluation ended with its host`);
  if (outcome.kind !== 'rejected' || outcome.starved !== true) return outcome;
  // Repeat once only: late twice is late.
  await store.addEvent({
    ...{ runId: run.runId, batchId: run.batchId, kind: 'machine_busy', key: `${step}-${kind}-${split}` },
    detail: `step ${step}: the machine was too busy to evaluate in time; evaluating again: ${outcome.message}`,
  });
  return await evaluator.evaluate(job, signal);
}

/**
 * Hidden and reproducible: HMAC-SHA-256 under the installation's key. The run's id is the salt, so retries draw the same and one run
 * learns nothing about another's draws. Runs that verify a task share their draws, to be compared exactly; no model plays those.
 * Each split has its own seed.
 */
function evaluationSeed(secret: string, run: RunDefinition, number: number, split: Split): string {
  const salt = run.verification === true ? run.batchId : run.runId;
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(JSON.stringify([run.seed, run.task.id, run.attempt, number, salt, ...(split === 'test' ? [] : [split])]))
    .digest('hex');
}
