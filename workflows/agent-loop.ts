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
  type CommandBeside,
  type EvaluateResult,
  type HostActivities,
  type ModelActivities,
  type SnapshotReason,
  type StepActivities,
  type TakeStepResult,
} from '../domain/messages.js';
import { EXTERNAL_PROVIDER, answersAtOnce } from '../domain/queues.js';
import { commandTimeLimit, secondsUntil, wallSecondsLeft } from '../domain/run-clock.js';
import type { EndReason, FinalEvaluation } from '../domain/outcomes.js';
import type { EvaluationKind } from '../domain/run.js';
import {
  besideOptions,
  commandOptions,
  evaluationOptions,
  modelOptions,
  snapshotOptions,
  takingOptions,
  turnOptions,
} from './activity-options.js';
import { isSandboxLost, lastEpoch, startHeldContainer, whyLost } from './held-container.js';
import { HostLost, onHost } from './on-host.js';

export const turnAnswered = defineSignal<[AnsweredTurn]>(SIGNAL.turnAnswered);

/** Less than a workflow task may take, with room for a last command. */
const LONGEST_TASK_MS = 3_000;

const nameOf = (turn: AnsweredTurn): string => `${turn.step}/${turn.try}`;

/**
 * The steps of a run: ask the model, run its command, evaluate on request. A turn of a player that answers at once, and a command that is
 * over in a moment, are taken beside the workflow, without a round trip; all else by activities on the queues.
 */
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
    return { hostLost: { epoch, step, elapsedMs, ending, ...(error.left ? { left: true as const } : {}) } };
  }
}

async function steps(input: AgentLoopInput, reached: AgentLoopInput, answered: Set<string>): Promise<AgentLoopResult> {
  const { ticket, hostId, devices, token } = input;
  const { runId } = ticket;
  let { epoch, step, elapsedMs, ending } = input;
  const last = lastEpoch(input.handedOn);

  const stepsBeside = patched('steps are taken beside the workflow');
  const isOutside = ticket.provider === EXTERNAL_PROVIDER;
  // For a player outside, asking is a row in PostgreSQL.
  const model =
    isOutside && (stepsBeside || patched('turns are asked beside the workflow'))
      ? proxyLocalActivities<ModelActivities>(turnOptions)
      : proxyActivities<ModelActivities>(modelOptions(ticket.provider));
  /** Null: the worker of this workflow is not the run's host, or this history began before there was such a thing. */
  let beside = stepsBeside ? proxyLocalActivities<StepActivities>(besideOptions) : null;
  const keeper = proxyActivities<HostActivities>(snapshotOptions(hostId));
  /** Must end before the next command begins; the model may think meanwhile. */
  let snapshot: Promise<void> = Promise.resolve();
  let keeping = 0;
  const keep = (reason: SnapshotReason, at = step): void => {
    keeping += 1;
    snapshot = keeper
      .snapshot({ runId, step: at, epoch, reason })
      .catch(() => undefined)
      .then(() => void (keeping -= 1));
  };
  const here = () => ({ runId, hostId, epoch });
  const clock = () => ({
    ...{ commandSeconds: ticket.commandSeconds, wallSeconds: ticket.wallSeconds, elapsedMs },
    endsBy: ticket.endsBy ?? null,
  });
  /** The workflow's own clock stands still while steps are taken beside it. */
  let tookUntil = 0;
  const now = () => Math.max(Date.now(), tookUntil);
  const untilDeadline = () => secondsUntil(ticket.endsBy, now());

  /** A model that is being waited for when the deadline comes is given up: null. A player outside answers by signal. */
  const byDeadline = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (ticket.endsBy == null || isOutside) return work();
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
        if (epoch >= last) throw error;
        const lease = token === undefined ? {} : { token };
        await startHeldContainer(
          { hostId, epoch: epoch + 1, because: whyLost(error), last },
          (at) => ({ runId, epoch: at, devices, ...lease, replayThrough: through }),
          (at) => (reached.epoch = epoch = at),
        );
      }
    }
  };
  /** The turn and its command at once. Null: by the queues. */
  const takeStep = async (): Promise<TakeStepResult | null> => {
    // A question to a player outside does not wait for a snapshot.
    if (beside === null || !answersAtOnce(ticket.provider) || (isOutside && keeping > 0)) return null;
    await snapshot;
    const { takeStep: take } = beside;
    return inContainer(step - 1, () => orByQueue(() => take({ runId, step, epoch, hostId, ...clock() })));
  };
  const commandBeside = async (timeLimitSeconds: number): Promise<CommandBeside | null> => {
    if (beside === null) return null;
    const { commandBeside: execute } = beside;
    return inContainer(step - 1, () => orByQueue(() => execute({ runId, step, epoch, hostId, timeLimitSeconds })));
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

  /** Steps beside the workflow leave a marker each, which its length tells only once the workflow waits for something else. */
  let markers = { after: 0, count: 0 };
  const freshHistory = async (): Promise<void> => {
    const info = workflowInfo();
    markers = { after: info.historyLength, count: markers.after === info.historyLength ? markers.count + 1 : 0 };
    const length = info.historyLength + (stepsBeside ? markers.count : 0);
    if (length < input.continueAfterEvents && !info.continueAsNewSuggested) return;
    await snapshot;
    await continueAsNew<typeof agentLoop>({ ...input, epoch, step, elapsedMs, ending });
  };

  for (;;) {
    Object.assign(reached, { epoch, step, elapsedMs, ending });
    if (step > ticket.maxSteps) ending ??= 'max_steps';
    else if (wallSecondsLeft(clock()) <= 0) ending ??= 'wall_time';
    else if (untilDeadline() <= 0) ending ??= 'deadline';
    if (ending !== null) {
      const taken = step - 1;
      step = Math.min(step, ticket.maxSteps);
      // Take the files now: the evaluation may have to wait for its place.
      await inContainer(step, () =>
        onHost(here(), takingOptions(hostId, ticket.evaluationSeconds), (host) =>
          host.takeSubmission({ runId, step, epoch, kind: 'forced' }),
        ),
      );
      // Others may go on from it.
      if (ticket.node === true && taken > ticket.copiedSteps) keep('interval', taken);
      await snapshot;
      return finish(ending, await evaluate('forced'));
    }

    const taken = await takeStep();
    if (taken !== null) tookUntil = taken.at;
    const next = taken?.turn ?? (await byDeadline(() => model.nextAction({ runId, step })));
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

    const timeLimitSeconds = commandTimeLimit(clock(), now());
    await snapshot;
    const brief = taken === null ? await commandBeside(timeLimitSeconds) : taken.command;
    if (brief === 'elsewhere') beside = null;
    const command =
      typeof brief === 'object' && brief !== null
        ? brief
        : await inContainer(step - 1, () =>
            onHost(here(), commandOptions(hostId, timeLimitSeconds), (host) =>
              host.executeCommand({ runId, step, epoch, timeLimitSeconds }),
            ),
          );
    elapsedMs += command.ms;
    if (command.requested === 'submit') return finish('submit', await evaluate('submit'));
    const every = ticket.snapshotEvery;
    if (command.requested === 'validate') {
      const validated = await evaluate('validate');
      if (every > 0) keep('validate');
      if (ticket.node === true) {
        await snapshot;
        return finish('submit', validated);
      }
    } else if (every > 0 && step % every === 0) keep('interval');

    step += 1;
    // Steps that follow each other beside the workflow keep its task; only between tasks does it see that it is cancelled.
    if (tookUntil - Date.now() > LONGEST_TASK_MS) await sleep(1);
    await freshHistory();
  }
}

/** Null: it did not come about beside the workflow, for a reason that the activities on the queues wait out. */
async function orByQueue<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isSandboxLost(error) || CancellationScope.current().consideredCancelled) throw error;
    return null;
  }
}
