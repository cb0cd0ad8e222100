import type { EvaluateHiddenResult, HostActivities } from '../domain/model/messages.js';
import type { EvaluationOutcome } from '../domain/ports/evaluator-port.js';
import type { HiddenEvaluation } from '../domain/ports/record/hidden-evaluations.js';
import type { RunDefinition } from '../domain/run/run.js';
import { splitScore } from '../domain/task/scores.js';
import { endSandboxes } from './container.js';
import type { EvaluatePorts } from './evaluate.js';
import { evaluateOnSplit } from './evaluate-on-split.js';
import { cancellation } from './cancellation.js';
import { earlierScore } from './earlier-score.js';
import { storedOutcome } from '../domain/agent/evaluation-message.js';
import { readSubmission } from '../domain/run/stored-submission.js';

export function hiddenEvaluationActivities(ports: EvaluatePorts): Pick<HostActivities, 'evaluateHidden'> {
  return { evaluateHidden: ({ runId }) => evaluateHidden(ports, runId, cancellation()) };
}

/** One submission at a time, so that others get their turn and a crash costs one evaluation. */
async function evaluateHidden(ports: EvaluatePorts, runId: string, signal: AbortSignal): Promise<EvaluateHiddenResult> {
  const { store, definitions, backends } = ports;
  const run = await definitions.get(runId);
  await endSandboxes(ports, run);
  const next = await store.nextHidden(runId);
  if (next === null) return { more: false, final: await store.finalEvaluation(runId) };
  const { step, kind, number, submissionSha256, fromStep } = next;
  const started = performance.now();
  const outcome = await tested(ports, run, next, signal);
  const test = splitScore(run.task, outcome);
  await store.saveEvaluation({
    ...{ runId, step, kind, ...test, submissionSha256, fromStep },
    suspect: test.metrics !== null && (test.suspect || next.suspect),
    // Only the event has the reason: the agent has already seen what it may.
    shown: '',
    ms: Math.round(performance.now() - started),
    evaluationNumber: number,
    isolation: backends[run.backend].evaluator.isolation,
    evaluatorImageDigest: outcome.imageDigest ?? null,
    events:
      outcome.kind === 'evaluator_error'
        ? [{ kind: 'evaluator_error', key: `${step}-${kind}-test`, detail: `test: ${outcome.message}`.slice(0, 2000) }]
        : [],
  });
  return { more: true, final: null };
}

async function tested(
  ports: EvaluatePorts,
  run: RunDefinition,
  next: HiddenEvaluation,
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const { step, submissionSha256 } = next;
  const known = await earlierScore(ports.store, run, submissionSha256, 'test');
  if (known !== null) return storedOutcome(known);
  const files = await readSubmission(ports.artifacts, submissionSha256);
  if (files !== null)
    return await evaluateOnSplit(ports, { run, ...next }, 'test', { sha256: submissionSha256, files }, signal);
  const message = `the submission of step ${step} (${submissionSha256}) is missing from the artifact store, so it cannot be tested`;
  await ports.store.addEvent({
    ...{ runId: run.runId, batchId: run.batchId, kind: 'submission_missing', key: `submission-${step}-test` },
    detail: message,
  });
  return { kind: 'evaluator_error', message };
}
