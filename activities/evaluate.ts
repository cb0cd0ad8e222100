import { createHash, createHmac } from 'node:crypto';
import type { EvaluateArgs, EvaluateResult, HostActivities } from '../domain/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { RunStore } from '../domain/ports/run-store.js';
import type { Collected, SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../domain/run.js';
import { type Outcome, shownToAgent } from '../domain/agent/evaluation-message.js';
import type { Split } from '../domain/task.js';
import { splitScores } from '../domain/task-scores.js';
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
  const { files, folders, optional, maxFiles, maxBytes } = run.task.submission;
  const collected = await sandbox.collect({ runId, epoch }, files, maxBytes, { folders, optional, maxFiles });

  const outcomes = new Map<Split, Outcome>();
  let submissionSha256: string | null = null;
  if (collected.kind === 'files') {
    submissionSha256 = await storeSubmission(ports.artifacts, collected.files);
    const taskDir = await ports.taskFolder(run);
    for (const split of run.task.splits) {
      const job = {
        id: `${runId}-${step}-${kind}${split === 'test' ? '' : `-${split}`}`,
        task: run.task,
        taskDir,
        submission: collected.files,
        split,
        seed: evaluationSeed(ports.secret, run, number, split),
      };
      const outcome = await evaluator.evaluate(job, signal);
      outcomes.set(split, outcome);
      // What is no submission on the first split is none on the next.
      if (outcome.kind !== 'ok') break;
    }
  } else outcomes.set('test', withoutFiles(collected));

  const ms = Math.round(performance.now() - started);
  const scores = splitScores(run.task, outcomes);
  const { test } = scores;
  const imageDigest =
    [...outcomes.values()].map((o) => (o.kind === 'no_artefact' ? undefined : o.imageDigest))[0] ?? null;
  await store.saveEvaluation({
    runId,
    step,
    kind,
    ...test,
    shown: shownToAgent(run.task, outcomes),
    otherSplits: scores.others,
    submissionSha256,
    ms,
    evaluationNumber: number,
    isolation: evaluator.isolation,
    evaluatorImageDigest: imageDigest,
  });
  for (const [split, outcome] of outcomes) {
    if (outcome.kind !== 'evaluator_error') continue;
    const detail = `${run.task.splits.length > 1 ? `${split}: ` : ''}${outcome.message}`.slice(0, 2000);
    await store.addEvent({ runId, batchId: run.batchId, kind: 'evaluator_error', key: `${step}-${kind}`, detail });
  }
  return { status: test.status, primary: test.primary, ms };
}

function withoutFiles(collected: Exclude<Collected, { kind: 'files' }>): Outcome {
  return collected.kind === 'missing'
    ? { kind: 'no_artefact', message: `missing from the workspace: ${collected.paths.join(', ')}` }
    : { kind: 'rejected', message: collected.reason };
}

/**
 * Hidden and reproducible: HMAC-SHA-256 of (seed, task, attempt, evaluation number) under the home's secret. Models share
 * it at the same attempt and evaluation number, so that they meet the same games. Each split has its own.
 */
function evaluationSeed(secret: string, run: RunDefinition, number: number, split: Split): string {
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(JSON.stringify([run.seed, run.task.id, run.attempt, number, ...(split === 'test' ? [] : [split])]))
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
