import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { type EndCause, naming } from '../domain/run/end-cause.js';
import { HostLeft, Superseded } from '../domain/errors.js';
import { FAILURE } from '../domain/model/messages.js';
import type {
  ExecuteCommandArgs,
  HostActivities,
  PlayStepsArgs,
  SliceEnd,
  SliceResult,
  SnapshotArgs,
  SnapshotReason,
} from '../domain/model/messages.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { Departure } from '../domain/ports/departure.js';
import type { TurnKey } from '../domain/ports/player.js';
import type { Fence, RecordedStep, ShownRow, StepLog } from '../domain/ports/record/steps.js';
import { commandTimeLimit, secondsUntil, wallSecondsLeft } from '../domain/run/clock.js';
import { cancellation, isWorkerShutdown } from './cancellation.js';
import { attemptFence } from './fence.js';
import { asFailure } from './interceptors/failures.js';
import { reportProgress } from './interceptors/heartbeat.js';
import type { DecidedAction, ExecutedCommand, TakenTurn } from './step-in-memory.js';
import { DeadlineReached, type TurnsUnderWay } from './turns-under-way.js';

/** Longer turns and commands become activities of their own, visible in Temporal. */
const SLICE_MS = 30_000;
/** Before an activity retries what failed in a slice. */
const DEFAULT_RETRY_DELAY_MS = 500;

export interface SlicePorts {
  store: Pick<StepLog, 'takeOver'>;
  departure: Departure;
  turns: TurnsUnderWay;
  /** Whether this worker calls the models of a provider. */
  callsModel: (provider: string) => boolean;
  nextAction: (
    at: { runId: string; step: number; before?: ShownRow | undefined },
    fence: Fence,
    signal: AbortSignal,
  ) => Promise<TakenTurn>;
  executeCommand: (args: ExecuteCommandArgs, signal: AbortSignal, decided?: DecidedAction) => Promise<ExecutedCommand>;
  snapshot: (args: SnapshotArgs, signal: AbortSignal) => Promise<void>;
  /** False: no answer from outside in time. */
  answerWithin: (turn: TurnKey, ms: number, signal: AbortSignal) => Promise<boolean>;
  /** Shorter in tests. */
  sliceMs?: number;
}

export function sliceActivities(ports: SlicePorts): Pick<HostActivities, 'playSteps'> {
  return {
    async playSteps(given) {
      const args = { ...given, fence: attemptFence(given.fence) };
      const { runId, epoch, step: from, fence } = args;
      const recorded = await ports.store.takeOver({ runId, epoch, from, fence });
      return new Slice(ports, args, recorded, cancellation()).play();
    },
  };
}

/** Where a run is after what is recorded of its steps. */
interface Position {
  /** Step to take next, or to continue. */
  step: number;
  elapsedMs: number;
  /** Recorded, not executed; without an action no reply could be parsed. Null: no turn yet. */
  openStep: RecordedStep | null;
  /** Requested by the step's command; `elapsedMs` includes the step. */
  due: 'validate' | 'submit' | null;
}

/** Skips steps that an earlier attempt, or an activity, has recorded. */
function positionAfter(
  { step, elapsedMs }: { step: number; elapsedMs: number },
  recorded: readonly RecordedStep[],
): Position {
  let at: Position = { step, elapsedMs, openStep: null, due: null };
  for (const one of recorded) {
    if (!one.executed) return { ...at, step: one.step, openStep: one };
    at = { ...at, step: one.step, elapsedMs: at.elapsedMs + one.modelMs + one.commandMs };
    if (one.requested !== null) return { ...at, due: one.requested };
    at = { ...at, step: one.step + 1 };
  }
  return at;
}

/** Part of a step outlasts the slice, and continues. */
class SliceOver extends Error {
  override name = 'SliceOver';
}

/**
 * Steps in a row, each recorded before the next. Ends, and failures that a retry may cure, are
 * values.
 */
class Slice {
  #at: Position;
  /** The last executed step, and the action of the open one, where this slice recorded them. */
  #before: ShownRow | undefined;
  #decided: DecidedAction | undefined;
  /** Ends before the next command starts, even past the slice; the model may think meanwhile. */
  #snapshotUnderWay: Promise<void> = Promise.resolve();
  /** Nothing is recorded of its steps: the workspace is that of the step before. */
  readonly #isNew: boolean;
  readonly #first: number;
  readonly #until: number;
  readonly #sliceTimeout = new AbortController();

  constructor(
    private readonly ports: SlicePorts,
    private readonly args: PlayStepsArgs,
    recorded: readonly RecordedStep[],
    private readonly signal: AbortSignal,
  ) {
    this.#at = positionAfter(args, recorded);
    this.#isNew = recorded.length === 0;
    this.#first = this.#at.step;
    this.#until = Date.now() + (ports.sliceMs ?? SLICE_MS);
  }

  async play(): Promise<SliceResult> {
    const timer = setTimeout(() => this.#sliceTimeout.abort(new SliceOver()), this.#until - Date.now());
    try {
      if (this.args.keep !== undefined && this.#isNew) this.#startSnapshot(this.args.keep, this.args.step - 1);
      const end = await this.#playSteps();
      const { step, elapsedMs } = this.#at;
      return { step, elapsedMs, end };
    } catch (error) {
      const { runId } = this.args;
      if (this.ports.departure.begun && isWorkerShutdown(this.signal)) throw hostLeaves(runId);
      throw error;
    } finally {
      clearTimeout(timer);
      await this.#snapshotUnderWay;
    }
  }

  async #playSteps(): Promise<SliceEnd> {
    for (;;) {
      const { due, openStep, step } = this.#at;
      if (due !== null) return { kind: 'evaluate', requested: due };
      reportProgress({ step });
      this.signal.throwIfAborted();
      await this.#throwIfHostLeaves();
      if (openStep === null) {
        const ending = this.#limitReached();
        if (ending !== null) return { kind: 'ending', reason: ending };
      } else if (!openStep.hasAction)
        return { kind: 'ending', reason: openStep.refused === true ? 'refusal' : 'format' };
      // Past the slice's time within its first step, that step becomes an activity instead.
      if (Date.now() >= this.#until && step > this.#first) return { kind: 'more' };
      const end = openStep === null ? await this.#takeTurn() : await this.#executeCommand(openStep.modelMs);
      if (end !== null) return end;
    }
  }

  #limitReached(): EndReason | null {
    if (this.#at.step > this.args.maxSteps) return 'max_steps';
    if (wallSecondsLeft(this.#clock()) <= 0) return 'wall_time';
    return secondsUntil(this.args.endsBy, Date.now()) <= 0 ? 'deadline' : null;
  }

  #clock(modelMs = 0) {
    const { commandSeconds, wallSeconds, endsBy } = this.args;
    return { commandSeconds, wallSeconds, endsBy, elapsedMs: this.#at.elapsedMs + modelMs };
  }

  /** A leaving host starts no command: the run moves. */
  async #throwIfHostLeaves(): Promise<void> {
    const { departure } = this.ports;
    if (!departure.begun) return;
    const { runId, epoch } = this.args;
    await this.#snapshotUnderWay;
    // With an open step nothing is saved: its command may be running.
    if (this.#at.openStep === null) await departure.keep({ runId, epoch, step: this.#at.step - 1 });
    throw hostLeaves(runId);
  }

  /** Null: the step has its action, or the turn was waited for. */
  async #takeTurn(): Promise<SliceEnd | null> {
    const { runId, provider } = this.args;
    const { step } = this.#at;
    if (!this.ports.callsModel(provider)) return { kind: 'turn', here: false, afterMs: 0 };
    let turn: TakenTurn;
    try {
      turn = await untilDeadline(this.args.endsBy, [this.signal, this.#sliceTimeout.signal], (signal) =>
        this.ports.turns.take({ runId, step }, this.args.fence, signal, (fence, turnSignal) =>
          this.ports.nextAction({ runId, step, before: this.#before }, fence, turnSignal),
        ),
      );
    } catch (error) {
      if (error instanceof DeadlineReached) return { kind: 'ending', reason: 'deadline' };
      if (this.#sliceTimedOut()) return { kind: 'turn', here: true, afterMs: 0 };
      const afterMs = this.#retryDelayOf('provider', error);
      return { kind: 'turn', here: true, afterMs };
    }
    switch (turn.kind) {
      case 'end':
        return { kind: 'ending', reason: turn.endReason ?? 'format' };
      case 'wait':
        return this.#wait(turn.waitMs ?? 1000);
      case 'asked':
        return this.#awaitAnswer({ runId, step, try: turn.try ?? 0 });
      case 'action':
        this.#decided = turn.decided;
        this.#at = { ...this.#at, openStep: decidedStep(step, turn.ms) };
        return null;
    }
  }

  #deadlineMs(): number | null {
    const seconds = secondsUntil(this.args.endsBy, Date.now());
    return seconds === Infinity ? null : Math.max(1, Math.ceil(seconds * 1000));
  }

  /** Trained models that play from outside answer in moments; for others the workflow waits. */
  async #awaitAnswer(turn: TurnKey): Promise<SliceEnd | null> {
    const ms = Math.min(this.#until - Date.now(), this.#deadlineMs() ?? Infinity);
    if (ms > 0 && (await this.ports.answerWithin(turn, ms, this.signal))) return null;
    return { kind: 'asked', try: turn.try, deadlineMs: this.#deadlineMs() };
  }

  /** A short wait costs the workflow nothing. */
  async #wait(waitMs: number): Promise<SliceEnd | null> {
    if (Date.now() + waitMs >= this.#until) return { kind: 'wait', waitMs };
    await sleep(waitMs, undefined, { signal: this.signal });
    return null;
  }

  /** Null: it is recorded. */
  async #executeCommand(modelMs: number): Promise<SliceEnd | null> {
    const { runId, epoch, fence, snapshotEvery } = this.args;
    const { step } = this.#at;
    await this.#snapshotUnderWay;
    const timeLimitSeconds = commandTimeLimit(this.#clock(modelMs), Date.now());
    const args = { runId, step, epoch, timeLimitSeconds, fence };
    let outcome: ExecutedCommand;
    try {
      outcome = await this.#duringCommand(args);
      this.#before = outcome.shown;
    } catch (error) {
      if (isSandboxLost(error)) return { kind: 'lost', because: error.message.slice(0, 300) };
      if (this.#sliceTimedOut()) return { kind: 'command', timeLimitSeconds, afterMs: 0 };
      return { kind: 'command', timeLimitSeconds, afterMs: this.#retryDelayOf('engine', error) };
    }
    this.#at = positionAfter({ step, elapsedMs: this.#at.elapsedMs }, [
      { ...decidedStep(step, modelMs), executed: true, requested: outcome.requested, commandMs: outcome.ms },
    ]);
    if (outcome.requested === null && snapshotEvery > 0 && step % snapshotEvery === 0)
      this.#startSnapshot('interval', step);
    return null;
  }

  /** The host counts commands and starts, to let them end when it leaves. */
  async #duringCommand(args: ExecuteCommandArgs): Promise<ExecutedCommand> {
    const { departure } = this.ports;
    const { runId, epoch } = args;
    departure.enter(runId);
    let idleEpoch: number | null = null;
    try {
      const signal = AbortSignal.any([this.signal, this.#sliceTimeout.signal]);
      signal.throwIfAborted();
      const outcome = await this.ports.executeCommand(args, signal, this.#takeDecided());
      idleEpoch = epoch;
      return outcome;
    } finally {
      departure.leave(runId, idleEpoch);
    }
  }

  /** Once: a command that is retried reads its action from the record. */
  #takeDecided(): DecidedAction | undefined {
    const decided = this.#decided;
    this.#decided = undefined;
    return decided;
  }

  #startSnapshot(reason: SnapshotReason, step: number): void {
    const { runId, epoch, fence } = this.args;
    // A failed snapshot does not fail the run.
    this.#snapshotUnderWay = this.ports
      .snapshot({ runId, step, epoch, reason, fence }, this.signal)
      .catch(() => undefined);
  }

  #sliceTimedOut(): boolean {
    return this.#sliceTimeout.signal.aborted && !this.signal.aborted;
  }

  /** Milliseconds before the retry. Throws the error, naming its part, if no retry can help. */
  #retryDelayOf(part: EndCause, error: unknown): number {
    this.signal.throwIfAborted();
    const failure = asFailure(error);
    if (error instanceof Superseded) throw error;
    if (!(failure instanceof ApplicationFailure)) return DEFAULT_RETRY_DELAY_MS;
    if (failure.nonRetryable === true) throw error instanceof Error ? naming(part, error) : error;
    const delay: unknown = failure.nextRetryDelay;
    return typeof delay === 'number' ? delay : DEFAULT_RETRY_DELAY_MS;
  }
}

function isSandboxLost(error: unknown): error is Error {
  const failure = asFailure(error);
  return failure instanceof ApplicationFailure && failure.type === FAILURE.sandboxLost;
}

const hostLeaves = (runId: string): HostLeft => new HostLeft(`the host of run ${runId} is leaving`);

const decidedStep = (step: number, modelMs: number): RecordedStep => ({
  ...{ step, hasAction: true, executed: false, requested: null, modelMs, commandMs: 0 },
});

/** Throws DeadlineReached when that comes first. */
export async function untilDeadline<T>(
  endsBy: number | null,
  signals: AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (endsBy === null) return work(AbortSignal.any(signals));
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DeadlineReached('the run ends now')),
    Math.min(Math.max(1, endsBy - Date.now()), LONGEST_TIMER_MS),
  );
  try {
    return await work(AbortSignal.any([...signals, deadline.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Later deadlines come after the slice, or the activity, is over. */
const LONGEST_TIMER_MS = 24 * 3_600_000;
