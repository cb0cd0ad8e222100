import { condition, proxyActivities, sleep } from '@temporalio/workflow';
import type {
  AnsweredTurn,
  EvaluateResult,
  HostActivities,
  ModelActivities,
  NextActionResult,
  PlayStepsArgs,
  SliceEnd,
  SnapshotReason,
} from '../domain/model/messages.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { EvaluationKind, RunEnd } from '../domain/run/run.js';
import {
  commandOptions,
  evaluationOptions,
  modelOptions,
  sliceOptions,
  snapshotOptions,
  takingOptions,
  turnOptions,
} from './activity-options.js';
import { inContainer, isSandboxLost, replaceContainer, whyLost } from './replaced-container.js';
import { onHost } from './on-host.js';
import type { RunState } from './run-state.js';

/** Turns answered from outside; the next slice finds the answers in PostgreSQL. */
export class AnsweredTurns {
  readonly #names = new Set<string>();
  add({ step, try: requery }: AnsweredTurn): void {
    this.#names.add(`${step}/${requery}`);
  }
  has({ step, try: requery }: AnsweredTurn): boolean {
    return this.#names.has(`${step}/${requery}`);
  }
  clear(): void {
    this.#names.clear();
  }
}

/** Until the run ends or its history is long. Throws HostLost. */
export async function takeSteps(run: RunState, answered: AnsweredTurns): Promise<RunEnd | 'continue'> {
  let keep: SnapshotReason | undefined;
  for (;;) {
    if (run.progress.ending !== null) return forcedEnd(run, run.progress.ending);
    if (run.isLong) return 'continue';
    const args = sliceArgs(run, keep);
    const { step, elapsedMs, end } = await onHost(run.at, sliceOptions(run.hostId), (host) => host.playSteps(args));
    run.progress = { ...run.progress, step, elapsedMs };
    keep = undefined;
    if (end.kind !== 'evaluate') await handleEnd(run, end, answered);
    else if (end.requested === 'submit') return endOf('submit', await evaluate(run, 'submit'));
    else {
      const validated = await evaluate(run, 'validate');
      if (run.ticket.node === true) return await nodeEnd(run, validated);
      run.progress = { ...run.progress, step: step + 1, elapsedMs: elapsedMs + validated.ms };
      if (run.ticket.snapshotEvery > 0) keep = 'validate';
    }
  }
}

function sliceArgs(run: RunState, keep: SnapshotReason | undefined): PlayStepsArgs {
  const { runId, maxSteps, provider, snapshotEvery, commandSeconds, wallSeconds, endsBy = null } = run.ticket;
  const { epoch, step, elapsedMs } = run.progress;
  return {
    ...{ runId, epoch, step, maxSteps, provider, snapshotEvery },
    ...{ commandSeconds, wallSeconds, elapsedMs, endsBy, fence: run.nextFence() },
    ...(keep === undefined ? {} : { keep }),
  };
}

async function handleEnd(
  run: RunState,
  end: Exclude<SliceEnd, { kind: 'evaluate' }>,
  answered: AnsweredTurns,
): Promise<void> {
  switch (end.kind) {
    case 'more':
      return;
    case 'ending':
      run.progress = { ...run.progress, ending: end.reason };
      return;
    case 'wait':
      await sleep(end.waitMs);
      return;
    case 'asked': {
      const turn = { step: run.progress.step, try: end.try };
      const isAnswered = () => answered.has(turn);
      // Without a deadline no timer, which would add to the history. The worker resends lost
      // signals.
      if (end.deadlineMs === null) await condition(isAnswered);
      else await condition(isAnswered, Math.max(1, end.deadlineMs));
      answered.clear();
      return;
    }
    case 'turn':
      if (end.afterMs > 0) await sleep(end.afterMs);
      return takeTurn(run, end.here);
    case 'command':
      if (end.afterMs > 0) await sleep(end.afterMs);
      return executeCommand(run, end.timeLimitSeconds);
    case 'lost':
      return replaceContainer(run, end.because);
  }
}

/** The next slice finds the action in the record. */
async function takeTurn(run: RunState, here: boolean): Promise<void> {
  const { runId, provider, endsBy = null } = run.ticket;
  const { step, epoch } = run.progress;
  const args = { runId, step, epoch, fence: run.nextFence(), endsBy };
  const turn: NextActionResult = here
    ? await onHost(run.at, turnOptions(run.hostId), (host) => host.nextAction(args))
    : await proxyActivities<ModelActivities>(modelOptions(provider)).nextAction(args);
  if (turn.kind === 'end') run.progress = { ...run.progress, ending: turn.endReason ?? 'format' };
  if (turn.kind === 'wait') await sleep(turn.waitMs ?? 1000);
}

async function executeCommand(run: RunState, timeLimitSeconds: number): Promise<void> {
  const { step, epoch } = run.progress;
  const args = { runId: run.ticket.runId, step, epoch, timeLimitSeconds, fence: run.nextFence() };
  try {
    await onHost(run.at, commandOptions(run.hostId, timeLimitSeconds), (host) => host.executeCommand(args));
  } catch (error) {
    if (!isSandboxLost(error)) throw error;
    await replaceContainer(run, whyLost(error));
  }
}

function evaluate(run: RunState, kind: EvaluationKind): Promise<EvaluateResult> {
  const { runId, evaluationSeconds } = run.ticket;
  const { step } = run.progress;
  // Forced end: take the files first, then see what may count instead.
  const seconds = kind === 'forced' ? 2 * evaluationSeconds : evaluationSeconds;
  return inContainer(run, (epoch) =>
    onHost(run.at, evaluationOptions(run.hostId, seconds), (host) => host.evaluate({ runId, step, epoch, kind })),
  );
}

const endOf = (endReason: EndReason, { status }: EvaluateResult): RunEnd => ({
  endReason,
  finalEvaluation: status,
  detail: null,
});

/** A limit ended the run: take its files at once, since the evaluation may wait. */
async function forcedEnd(run: RunState, ending: EndReason): Promise<RunEnd> {
  const { runId, maxSteps, evaluationSeconds, node, copiedSteps } = run.ticket;
  const taken = run.progress.step - 1;
  const step = Math.min(run.progress.step, maxSteps);
  run.progress = { ...run.progress, step };
  await inContainer(run, (epoch) =>
    onHost(run.at, takingOptions(run.hostId, evaluationSeconds), (host) =>
      host.takeSubmission({ runId, step, epoch, kind: 'forced' }),
    ),
  );
  // Other nodes may continue from it.
  if (node === true && taken > copiedSteps) await keepWorkspace(run, 'interval', taken);
  return endOf(ending, await evaluate(run, 'forced'));
}

/** A node of a search tree ends with its first evaluation. */
async function nodeEnd(run: RunState, validated: EvaluateResult): Promise<RunEnd> {
  if (run.ticket.snapshotEvery > 0) await keepWorkspace(run, 'validate', run.progress.step);
  return endOf('submit', validated);
}

/** A failed snapshot does not affect the run. */
async function keepWorkspace(run: RunState, reason: SnapshotReason, step: number): Promise<void> {
  const keeper = proxyActivities<HostActivities>(snapshotOptions(run.hostId));
  await keeper.snapshot({ runId: run.ticket.runId, step, epoch: run.progress.epoch, reason }).catch(() => undefined);
}
