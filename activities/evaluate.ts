import type { EvaluateArgs, EvaluateResult, HostActivities } from '../domain/model/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { RunEvent } from '../domain/ports/record/events.js';
import type { EvaluationLog } from '../domain/ports/record/evaluations.js';
import type { HiddenEvaluations } from '../domain/ports/record/hidden-evaluations.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { SubmissionLog } from '../domain/ports/record/submissions.js';
import type { SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { RunDefinition, TakenSubmission } from '../domain/run/run.js';
import {
  type Outcome,
  shownToAgent,
  storedOutcome,
  storedScore,
  validationsLeft,
} from '../domain/agent/evaluation-message.js';
import type { Split, TaskSpec } from '../domain/task/task.js';
import { onForcedEnd } from '../domain/tree/node-rules.js';
import { splitScore, splitScores } from '../domain/task/scores.js';
import { earlierScore } from './earlier-score.js';
import { evaluateOnSplit, type SplitPorts } from './evaluate-on-split.js';
import type { RunDefinitions } from './run-definitions.js';
import { cancellation, endsForGood } from './cancellation.js';
import { readSubmission } from '../domain/run/stored-submission.js';
import { takeSubmission } from './take-submission.js';

export interface EvaluatePorts extends SplitPorts {
  store: SplitPorts['store'] & EvaluationLog & HiddenEvaluations & RunLifecycle & SubmissionLog;
  definitions: RunDefinitions;
  artifacts: ArtifactStore;
}

export function evaluateActivities(ports: EvaluatePorts): Pick<HostActivities, 'evaluate'> {
  return { evaluate: (args) => evaluate(ports, args, cancellation()) };
}

async function evaluate(ports: EvaluatePorts, args: EvaluateArgs, signal: AbortSignal): Promise<EvaluateResult> {
  const { runId, epoch } = args;
  const run = await ports.definitions.get(runId);
  try {
    return await evaluateOnce(ports, run, args, signal);
  } finally {
    // A dead worker may have left it frozen. After an abort the next attempt, perhaps evaluating,
    // thaws it.
    if (!signal.aborted || endsForGood(signal)) await ports.backends[run.backend].sandbox.thaw({ runId, epoch });
  }
}

async function evaluateOnce(
  ports: EvaluatePorts,
  run: RunDefinition,
  args: EvaluateArgs,
  signal: AbortSignal,
): Promise<EvaluateResult> {
  const { store } = ports;
  const { runId, step, epoch, kind } = args;
  const known = await store.evaluation(runId, step, kind);
  if (known !== null) return { status: known.status, primary: known.primary, ms: 0 };

  const { evaluator } = run.task;
  const live = evaluator.kind === 'harbor' && evaluator.verification === 'live';
  const isolation = live ? 'none' : ports.backends[run.backend].evaluator.isolation;
  if (kind !== 'validate') await store.setStatus(runId, 'finishing');
  const started = performance.now();
  const number = await store.evaluationNumber(runId, step, kind);
  const splits = shownSplits(run.task);
  const wanted = { run, step, epoch, kind, splits };
  const found = await (kind === 'forced' ? forced : ofWorkspace)(ports, wanted, signal);
  const { outcomes } = found;

  const ms = Math.round(performance.now() - started);
  const imageDigest =
    [...outcomes.values()].map((o) => (o.kind === 'no_artefact' ? undefined : o.imageDigest))[0] ?? null;
  const record = {
    ...{ runId, step, kind, ms, isolation, epoch },
    shown: [
      await shown(store, run, kind, outcomes),
      ...(found.storedAt === null ? [] : [storedScore(found.storedAt)]),
      ...(await leftOver(store, run, args, outcomes)),
    ].join('\n'),
    submissionSha256: found.submissionSha256,
    fromStep: found.fromStep,
    evaluationNumber: number,
    evaluatorImageDigest: imageDigest,
    events: failuresOf(run, step, kind, outcomes),
  };
  // While the sandbox was frozen, the run's clock stood still.
  const onClock = found.frozen ? 0 : ms;
  const onValidation = outcomes.get('validation');
  if (onValidation?.kind === 'ok' && !splits.includes('test')) {
    const score = splitScore(run.task, onValidation);
    await store.saveShown({ ...record, message: score.message, otherSplits: [{ split: 'validation', ...score }] });
    return { status: 'ok', primary: null, ms: onClock };
  }
  const { test, others } = splitScores(run.task, outcomes);
  await store.saveEvaluation({ ...record, ...test, otherSplits: others });
  return { status: test.status, primary: test.primary, ms: onClock };
}

async function shown(
  store: RunLifecycle,
  { runId, task, agent }: RunDefinition,
  kind: EvaluateArgs['kind'],
  outcomes: ReadonlyMap<Split, Outcome>,
): Promise<string> {
  const { dialect } = agent.tools;
  const workspace = dialect === 'mlgym' ? await store.workspace(runId) : '';
  return shownToAgent(task, outcomes, { dialect, kind, workspace });
}

/** Validations left, if limited; one that failed by our fault uses none. */
async function leftOver(
  store: EvaluationLog,
  { runId, maxValidations = null }: RunDefinition,
  { step, kind }: EvaluateArgs,
  outcomes: ReadonlyMap<Split, Outcome>,
): Promise<string[]> {
  if (kind !== 'validate' || maxValidations === null) return [];
  const failed = [...outcomes.values()].some((one) => one.kind === 'evaluator_error');
  const used = (await store.validationsBefore(runId, step)) + (failed ? 0 : 1);
  return [validationsLeft(Math.max(0, maxValidations - used), maxValidations)];
}

const shownSplits = ({ splits }: TaskSpec): readonly Split[] =>
  splits.includes('validation') ? ['validation'] : splits;

const failuresOf = (
  { task }: RunDefinition,
  step: number,
  kind: EvaluateArgs['kind'],
  outcomes: ReadonlyMap<Split, Outcome>,
): RunEvent[] =>
  [...outcomes].flatMap(([split, outcome]) => {
    if (outcome.kind !== 'evaluator_error') return [];
    const named = task.splits.length > 1;
    const key = named ? `${step}-${kind}-${split}` : `${step}-${kind}`;
    const detail = `${named ? `${split}: ` : ''}${outcome.message}`.slice(0, 2000);
    return [{ kind: 'evaluator_error', key, detail }];
  });

interface Wanted extends Omit<EvaluateArgs, 'runId'> {
  run: RunDefinition;
  splits: readonly Split[];
}
interface Found {
  outcomes: Map<Split, Outcome>;
  /** The sandbox was frozen during the evaluation, or nothing was evaluated. */
  frozen: boolean;
  submissionSha256: string | null;
  /** The step whose stored score this is; null: a new score. */
  storedAt: number | null;
  /** Step whose `validate` the submission comes from; null: taken from the workspace now. */
  fromStep: number | null;
}

/** The files as they were when the evaluation was requested. */
async function ofWorkspace(ports: EvaluatePorts, wanted: Wanted, signal: AbortSignal): Promise<Found> {
  const { taken, files } = await takenFiles(ports, wanted);
  if (taken.kind !== 'files')
    return {
      ...{ outcomes: new Map([['test', withoutFiles(taken)]]), frozen: true, storedAt: null },
      ...{ submissionSha256: null, fromStep: null },
    };
  const scored = await onSplits(ports, wanted, { sha256: taken.sha256, files: files ?? [] }, signal);
  return { ...scored, submissionSha256: taken.sha256, fromStep: null };
}

async function takenFiles(
  ports: EvaluatePorts,
  { run, step, epoch, kind }: Wanted,
): Promise<{ taken: TakenSubmission; files: SubmissionFile[] | null }> {
  const { store, artifacts } = ports;
  const taken = await store.takenSubmission(run.runId, step, kind);
  if (taken !== null && taken.kind !== 'files') return { taken, files: null };
  const files = taken === null ? null : await readSubmission(artifacts, taken.sha256);
  if (taken !== null && files !== null) return { taken, files };
  if (taken !== null)
    await store.addEvent({
      runId: run.runId,
      batchId: run.batchId,
      kind: 'submission_missing',
      key: `submission-${step}-${kind}`,
      detail: `the submission of step ${step} (${taken.sha256}) is missing from the artifact store; it is taken from the workspace again`,
    });
  const now = await takeSubmission(ports, run, { runId: run.runId, epoch });
  await store.saveTakenSubmission(run.runId, step, kind, now.taken, epoch, taken?.sha256);
  return now;
}

/** For a run that ended without `submit`: see the task's `onForcedEnd`. */
async function forced(ports: EvaluatePorts, wanted: Wanted, signal: AbortSignal): Promise<Found> {
  const { run, step } = wanted;
  const policy = onForcedEnd(run);
  const best = policy === 'best' ? await ofEarlier(ports, wanted, 'best', signal) : null;
  if (best !== null) return best;
  const current = await ofWorkspace(ports, wanted, signal);
  const status = [...current.outcomes.values()].at(-1)?.kind;
  // An evaluator error is not the files' fault.
  if (policy !== 'last_valid' || status === 'ok' || status === 'evaluator_error') return current;
  const last = await ofEarlier(ports, wanted, 'last', signal);
  if (last === null) return current;
  await ports.store.addEvent({
    runId: run.runId,
    batchId: run.batchId,
    kind: 'earlier_submission_used',
    key: `forced-${step}`,
    detail: `the files at the end: ${status}; the submission of step ${last.fromStep} counts instead`,
  });
  return last;
}

/** An earlier submission, as it was at `validate`. Null: there is none. */
async function ofEarlier(
  ports: EvaluatePorts,
  wanted: Wanted,
  which: 'last' | 'best',
  signal: AbortSignal,
): Promise<Found | null> {
  const { run } = wanted;
  const earlier = await ports.store.validSubmission(run.runId, which);
  if (earlier === null) return null;
  const { submissionSha256, step: fromStep } = earlier;
  const files = await readSubmission(ports.artifacts, submissionSha256);
  if (files !== null) {
    const scored = await onSplits(ports, { ...wanted, fromStep }, { sha256: submissionSha256, files }, signal);
    return { ...scored, submissionSha256, fromStep };
  }
  await ports.store.addEvent({
    runId: run.runId,
    batchId: run.batchId,
    kind: 'submission_missing',
    key: `submission-${fromStep}`,
    detail: `the submission of step ${fromStep} (${submissionSha256}) is missing from the artifact store, so it cannot count at the end`,
  });
  return null;
}

type Scored = Pick<Found, 'outcomes' | 'frozen' | 'storedAt'>;

async function onSplits(
  ports: EvaluatePorts,
  wanted: Wanted & { fromStep?: number },
  { sha256, files }: { sha256: string; files: SubmissionFile[] },
  signal: AbortSignal,
): Promise<Scored> {
  const scored: Scored = { outcomes: new Map(), frozen: true, storedAt: null };
  signal.throwIfAborted();
  let fresh = 0;
  for (const split of wanted.splits) {
    const known = await earlierScore(ports.store, wanted.run, sha256, split);
    if (known === null && (fresh += 1) === 1) scored.frozen = await freeze(ports, wanted);
    const outcome =
      known === null ? await evaluateOnSplit(ports, wanted, split, { sha256, files }, signal) : storedOutcome(known);
    scored.outcomes.set(split, outcome);
    scored.storedAt = known?.step ?? null;
    // If one split rejects the submission, skip the rest.
    if (outcome.kind !== 'ok') break;
  }
  return scored;
}

/** The agent's processes must pause: a submission could signal hidden data to them by its load. */
async function freeze(
  { store, backends }: EvaluatePorts,
  { run: { runId, batchId, backend }, step, epoch, kind }: Wanted,
): Promise<boolean> {
  const { sandbox } = backends[backend];
  if (await sandbox.freeze({ runId, epoch })) return true;
  // Other backends isolate nothing, and their rows say so.
  if (sandbox.isolation === 'container')
    await store.addEvent({
      ...{ runId, batchId, kind: 'sandbox_not_frozen', key: `${step}-${kind}` },
      detail: `step ${step}: the engine could not pause the container: the agent's processes ran during the evaluation`,
    });
  return false;
}

function withoutFiles(taken: Exclude<TakenSubmission, { kind: 'files' }>): Outcome {
  return taken.kind === 'missing'
    ? { kind: 'no_artefact', message: `missing from the workspace: ${taken.paths.join(', ')}` }
    : { kind: 'rejected', message: taken.reason };
}
