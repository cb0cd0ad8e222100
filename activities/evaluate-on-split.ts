import { createHmac } from 'node:crypto';
import { HostLeft, InfrastructureError } from '../domain/errors.js';
import { BASELINE_MODEL } from '../domain/model/model.js';
import type { Departure } from '../domain/ports/departure.js';
import type { EvaluationJob, EvaluationOutcome } from '../domain/ports/evaluator-port.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { Leases } from '../domain/ports/record/leases.js';
import type { SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { EvaluationKind, RunDefinition } from '../domain/run/run.js';
import { needsGpu } from '../domain/task/evaluator-spec.js';
import type { Split } from '../domain/task/task.js';
import type { Backends } from '../domain/ports/backends.js';

export interface SplitPorts {
  store: EventLog & Pick<Leases, 'devicesOf'>;
  backends: Backends;
  taskFolder: (run: RunDefinition) => Promise<string>;
  /** The installation's key, which keeps evaluators' seeds unpredictable. */
  secret: string;
  /** Absent: this host stays. */
  departure?: Pick<Departure, 'underWay'>;
}

export async function evaluateOnSplit(
  { store, backends, taskFolder, secret, departure }: SplitPorts,
  wanted: { run: RunDefinition; step: number; kind: EvaluationKind; fromStep?: number | null },
  split: Split,
  { sha256, files: submission }: { sha256: string; files: SubmissionFile[] },
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
    seed: evaluationSeed(secret, run, { split, sha256 }),
    ...(await gpusOf(store, run)),
  };
  const { evaluator } = backends[run.backend];
  const outcome = await evaluator.evaluate(job, signal);
  // The host's shutdown may have ended the processes first: evaluate again elsewhere.
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

/** The run's lease serves its evaluations; the agent's processes are frozen meanwhile. */
async function gpusOf(
  store: SplitPorts['store'],
  { runId, task }: RunDefinition,
): Promise<Pick<EvaluationJob, 'gpus'>> {
  if (!needsGpu(task.evaluator)) return {};
  const devices = await store.devicesOf(runId);
  if (devices.length === 0)
    throw new InfrastructureError(`run ${runId}: its evaluation needs a GPU, and the run has no lease now`);
  const stillLeased = async () => (await store.devicesOf(runId)).join() === devices.join();
  return { gpus: { devices, stillLeased } };
}

/**
 * Equal submissions of a batch (or an episode's group) get equal draws, and so equal scores; others
 * get other draws, so a score or rejection reveals nothing about later ones. HMAC-SHA-256 with the
 * installation's key, which no sandbox has. Each split has its own draws, as does each attempt of
 * the baseline, which measures their spread. Runs that verify a task share draws, for exact
 * comparison.
 */
function evaluationSeed(
  secret: string,
  run: RunDefinition,
  { split, sha256 }: { split: Split; sha256: string },
): string {
  const { batchId, drawGroup, task, model, attempt } = run;
  const own = model.name === BASELINE_MODEL && attempt > 1 ? [attempt] : [];
  const of = run.verification === true ? [] : [drawGroup ?? null, sha256, ...own];
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(JSON.stringify(['draws', batchId, task.id, split, ...of]))
    .digest('hex');
}
