import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  SIGNAL,
  type AgentLoopInput,
  type AgentLoopResult,
  type AnsweredTurn,
  type EvaluateResult,
  type HostActivities,
  type ModelActivities,
  type SnapshotReason,
} from '../domain/messages.js';
import { EXTERNAL_PROVIDER } from '../domain/queues.js';
import type { EndReason, FinalEvaluation } from '../domain/outcomes.js';
import type { EvaluationKind } from '../domain/run.js';
import {
  commandOptions,
  evaluationOptions,
  modelOptions,
  snapshotOptions,
  takingOptions,
  turnOptions,
} from './activity-options.js';
import { MAX_EPOCHS, isSandboxLost, startHeldContainer, whyLost } from './held-container.js';
import { HostLost, onHost } from './on-host.js';

export const turnAnswered = defineSignal<[AnsweredTurn]>(SIGNAL.turnAnswered);

const nameOf = (turn: AnsweredTurn): string => `${turn.step}/${turn.try}`;

/** The steps of a run: ask the model, run its command, evaluate on request. Two activities per step. */
export async function agentLoop(input: AgentLoopInput): Promise<AgentLoopResult> {
  /** State at the start of the current step. When the step is repeated, its recorded parts are found again. */
  const reached = { ...input };
  /** Turns answered from outside. The answers are in PostgreSQL, where the next question finds them, even in a fresh history. */
  const answered = new Set<string>();
  setHandler(turnAnswered, (turn) => void answered.add(nameOf(turn)));
  try {
    return await steps(input, reached, answered);
  } catch (error) {
    if (!(error instanceof HostLost)) throw error;
    const { epoch, step, elapsedMs, ending } = reached;
    return { hostLost: { epoch, step, elapsedMs, ending } };
  }
}

async function steps(input: AgentLoopInput, reached: AgentLoopInput, answered: Set<string>): Promise<AgentLoopResult> {
  const { ticket, hostId, devices, token } = input;
  const { runId } = ticket;
  let { epoch, step, elapsedMs, ending } = input;

  // For a player outside, asking is a row in PostgreSQL: beside the workflow it saves half of a step's round trips to Temporal.
  const model =
    ticket.provider === EXTERNAL_PROVIDER && patched('turns are asked beside the workflow')
      ? proxyLocalActivities<ModelActivities>(turnOptions)
      : proxyActivities<ModelActivities>(modelOptions(ticket.provider));
  const keeper = proxyActivities<HostActivities>(snapshotOptions(hostId));
  /** Must end before the next command begins; the model may think meanwhile. */
  let snapshot: Promise<void> = Promise.resolve();
  const keep = (reason: SnapshotReason): void => {
    snapshot = keeper.snapshot({ runId, step, epoch, reason }).catch(() => undefined);
  };
  const here = () => ({ runId, hostId, epoch });
  /** Time left on the run's clock; none when a model call used it up. */
  const wallSecondsLeft = () => (ticket.wallSeconds === 0 ? Infinity : ticket.wallSeconds - elapsedMs / 1000);
  /** By the clock on the wall: whoever set the deadline waits for nobody. */
  const untilDeadline = () => (ticket.endsBy == null ? Infinity : (ticket.endsBy - Date.now()) / 1000);
  const secondsLeft = () => Math.min(wallSecondsLeft(), untilDeadline());

  /** A model that is being waited for when the deadline comes is given up: null. A player outside answers by signal. */
  const byDeadline = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (ticket.endsBy == null || ticket.provider === EXTERNAL_PROVIDER) return work();
    try {
      return await CancellationScope.withTimeout(Math.max(1, Math.ceil(untilDeadline() * 1000)), work);
    } catch (error) {
      if (!isCancellation(error) || CancellationScope.current().consideredCancelled || untilDeadline() > 0) throw error;
      return null;
    }
  };

  /** Run `work` in the current container; if that is lost, in a new one in which the earlier steps were replayed. */
  const inContainer = async <T>(through: number, work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isSandboxLost(error)) throw error;
        if (epoch >= MAX_EPOCHS) throw error;
        const lease = token === undefined ? {} : { token };
        await startHeldContainer(
          { hostId, epoch: epoch + 1, because: whyLost(error) },
          (at) => ({ runId, epoch: at, devices, ...lease, replayThrough: through }),
          (at) => (reached.epoch = epoch = at),
        );
      }
    }
  };
  const evaluate = async (kind: EvaluationKind): Promise<EvaluateResult> => {
    // Forced end: take the files first, then see what may count instead.
    const seconds = kind === 'forced' ? 2 * ticket.evaluationSeconds : ticket.evaluationSeconds;
    const result = await inContainer(step, () =>
      onHost(here(), evaluationOptions(hostId, seconds), (host) => host.evaluate({ runId, step, epoch, kind })),
    );
    elapsedMs += result.ms;
    return result;
  };
  const finish = (endReason: EndReason, last: EvaluateResult): AgentLoopResult => ({
    end: { endReason, finalEvaluation: last.status satisfies FinalEvaluation, detail: null },
    step,
  });

  const freshHistory = async (): Promise<void> => {
    const info = workflowInfo();
    if (info.historyLength < input.continueAfterEvents && !info.continueAsNewSuggested) return;
    await snapshot;
    await continueAsNew<typeof agentLoop>({ ...input, epoch, step, elapsedMs, ending });
  };

  for (;;) {
    Object.assign(reached, { epoch, step, elapsedMs, ending });
    if (step > ticket.maxSteps) ending ??= 'max_steps';
    else if (wallSecondsLeft() <= 0) ending ??= 'wall_time';
    else if (untilDeadline() <= 0) ending ??= 'deadline';
    if (ending !== null) {
      step = Math.min(step, ticket.maxSteps);
      // Take the files now: the evaluation may have to wait for its place.
      await inContainer(step, () =>
        onHost(here(), takingOptions(hostId), (host) => host.takeSubmission({ runId, step, epoch, kind: 'forced' })),
      );
      await snapshot;
      return finish(ending, await evaluate('forced'));
    }

    const next = await byDeadline(() => model.nextAction({ runId, step }));
    if (next === null) continue;
    elapsedMs += next.ms;
    if (next.kind === 'end') {
      ending = next.endReason ?? 'format';
      continue;
    }
    if (next.kind === 'wait') {
      await sleep(next.waitMs ?? 1000);
      await freshHistory();
      continue;
    }
    if (next.kind === 'asked') {
      // Without a deadline no timer, so waiting adds nothing to the history. The worker resends a lost signal.
      const asked = nameOf({ step, try: next.try ?? 0 });
      const isAnswered = () => answered.has(asked);
      if (ticket.endsBy == null) await condition(isAnswered);
      else if (!(await condition(isAnswered, Math.max(1, untilDeadline() * 1000)))) continue;
      answered.clear();
      await freshHistory();
      continue;
    }

    const timeLimitSeconds = Math.max(1, Math.ceil(Math.min(ticket.commandSeconds, secondsLeft())));
    await snapshot;
    const command = await inContainer(step - 1, () =>
      onHost(here(), commandOptions(hostId, timeLimitSeconds), (host) =>
        host.executeCommand({ runId, step, epoch, timeLimitSeconds }),
      ),
    );
    elapsedMs += command.ms;
    if (command.requested === 'submit') return finish('submit', await evaluate('submit'));
    const every = ticket.snapshotEvery;
    if (command.requested === 'validate') {
      await evaluate('validate');
      if (every > 0) keep('validate');
    } else if (every > 0 && step % every === 0) keep('interval');

    step += 1;
    await freshHistory();
  }
}
