import { createHmac } from 'node:crypto';
import { HostLeft } from '../domain/errors.js';
import { BASELINE_MODEL } from '../domain/model.js';
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
  wanted: { run: RunDefinition; step: number; kind: EvaluationKind; fromStep?: number | null },
  split: Split,
  submission: SubmissionFile[],
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const { run, step, kind, fromStep = null } = wanted;
  const source = fromStep === null ? '' : `-of-${fromStep}`;
  const job = {
    id: `${run.runId}-${step}-${kind}${source}${split === 'test' ? '' : `-${split}`}`,
    task: run.task,
    taskDir: await taskFolder(run),
    submission,
    split,
    seed: evaluationSeed(secret, run, split),
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
 * Common random numbers: the runs of a batch, of episodes those of a group, are scored on the same draws, so that equal submissions
 * get equal scores and others differ by what they do. HMAC-SHA-256 under the installation's key, which no sandbox has: neither
 * an agent nor another batch learns the draws. Each split has its own, and each further attempt of the baseline, which measures how
 * far draws lie apart.
 */
function evaluationSeed(secret: string, run: RunDefinition, split: Split): string {
  const { batchId, drawGroup, task, model, attempt } = run;
  const own = model.name === BASELINE_MODEL && attempt > 1 ? [attempt] : [];
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(JSON.stringify(['draws', batchId, drawGroup ?? null, task.id, split, ...own]))
    .digest('hex');
}
