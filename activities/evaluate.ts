import { createHash, createHmac } from 'node:crypto';
import type { EvaluateArgs, EvaluateResult, HostActivities } from '../domain/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { EvaluationOutcome } from '../domain/ports/evaluator-port.js';
import type { RunStore } from '../domain/ports/run-store.js';
import type { Collected, SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { EvaluationRecord, RunDefinition } from '../domain/run.js';
import { evaluationMessage } from '../domain/agent/evaluation-message.js';
import { isSuspect } from '../domain/task-scores.js';
import type { RunDefinitions } from './run-definitions.js';
import type { Backends } from './backends.js';
import { withHeartbeat } from './heartbeat.js';

export interface EvaluatePorts {
  store: RunStore;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  taskFolder: (run: RunDefinition) => Promise<string>;
  /** The home's secret: agents cannot guess the evaluators' seeds. */
  secret: string;
}

export function evaluateActivities(ports: EvaluatePorts): Pick<HostActivities, 'evaluate'> {
  return { evaluate: (args) => withHeartbeat((signal) => evaluate(ports, args, signal)) };
}

/** Copy the submission out as data, evaluate it in a clean room, store what came of it. */
async function evaluate(ports: EvaluatePorts, args: EvaluateArgs, signal: AbortSignal): Promise<EvaluateResult> {
  const { store } = ports;
  const { runId, step, epoch, kind } = args;
  const known = await store.evaluation(runId, step, kind);
  if (known !== null) return { status: known.status, primary: known.primary, ms: known.ms };

  const run = await ports.definitions.get(runId);
  const sandbox = ports.backends[run.backend].sandbox;
  const evaluator = ports.backends[run.backend].evaluator;
  if (kind !== 'validate') await store.setStatus(runId, 'finishing');
  const started = performance.now();
  const number = await store.evaluationNumber(runId, step, kind);
  const collected = await sandbox.collect({ runId, epoch }, run.task.submission.files, run.task.submission.maxBytes);

  let outcome: EvaluationOutcome | { kind: 'no_artefact'; message: string };
  let submissionSha256: string | null = null;
  if (collected.kind === 'files') {
    submissionSha256 = await storeSubmission(ports.artifacts, collected.files);
    const job = {
      id: `${runId}-${step}-${kind}`,
      task: run.task,
      taskDir: await ports.taskFolder(run),
      submission: collected.files,
      seed: evaluationSeed(ports.secret, run, number),
    };
    outcome = await evaluator.evaluate(job, signal);
  } else outcome = withoutFiles(collected);

  const metrics = outcome.kind === 'ok' ? outcome.metrics : null;
  const primary = metrics?.[run.task.primary] ?? null;
  const ms = Math.round(performance.now() - started);
  const record: EvaluationRecord = {
    runId,
    step,
    kind,
    status: outcome.kind,
    metrics,
    primary,
    suspect: metrics !== null && isSuspect(run.task, metrics),
    message: evaluationMessage(run.task, outcome),
    submissionSha256,
    ms,
  };
  await store.saveEvaluation({ ...record, evaluationNumber: number, isolation: evaluator.isolation });
  if (outcome.kind === 'evaluator_error') {
    const detail = outcome.message.slice(0, 2000);
    await store.addEvent({ runId, batchId: run.batchId, kind: 'evaluator_error', key: `${step}-${kind}`, detail });
  }
  return { status: outcome.kind, primary, ms };
}

function withoutFiles(
  collected: Exclude<Collected, { kind: 'files' }>,
): EvaluationOutcome | { kind: 'no_artefact'; message: string } {
  return collected.kind === 'missing'
    ? { kind: 'no_artefact', message: `missing from the workspace: ${collected.paths.join(', ')}` }
    : { kind: 'rejected', message: collected.reason };
}

/**
 * Hidden and reproducible: HMAC-SHA-256 of (seed, task, attempt, evaluation number) under the home's secret. Models share
 * it at the same attempt and evaluation number, so that they meet the same games.
 */
function evaluationSeed(secret: string, run: RunDefinition, number: number): string {
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(JSON.stringify([run.seed, run.task.id, run.attempt, number]))
    .digest('hex');
}

/** Each file under its own hash, and their manifest, whose SHA-256 names the submission. */
async function storeSubmission(artifacts: ArtifactStore, files: SubmissionFile[]): Promise<string> {
  const manifest: [string, string][] = [];
  for (const file of files) {
    await artifacts.put(file.bytes);
    manifest.push([file.path, createHash('sha256').update(file.bytes).digest('hex')]);
  }
  return artifacts.put(Buffer.from(JSON.stringify(manifest)));
}
