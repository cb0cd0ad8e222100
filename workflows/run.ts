import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  SIGNAL,
  type AnsweredTurn,
  type CarriedRun,
  type ControlActivities,
  type HostActivities,
  type Lease,
} from '../domain/model/messages.js';
import { secondsToEnd } from '../domain/run/clock.js';
import type { RunEnd, RunTicket } from '../domain/run/run.js';
import { containerOptions, controlOptions, placementOptions } from './activity-options.js';
import { endOfFailure, judgedByTest } from './end-of-run.js';
import { GpuLease } from './gpu-lease.js';
import { isHostRefusing, startReplacingLost } from './replaced-container.js';
import { HostLost } from './on-host.js';
import { playProgram } from './run-program.js';
import { MAX_EPOCHS, RunState, TURNS_PER_HISTORY } from './run-state.js';
import { AnsweredTurns, takeSteps } from './run-steps.js';

const control = proxyActivities<ControlActivities>(controlOptions);
const placement = proxyActivities<Pick<ControlActivities, 'placeRun'>>(placementOptions);

const leaseGranted = defineSignal<[Lease]>(SIGNAL.leaseGranted);
const turnAnswered = defineSignal<[AnsweredTurn]>(SIGNAL.turnAnswered);

/** Owns lease, host, container and cleanup. `turnsPerHistory` is small only in tests. */
export async function run(
  ticket: RunTicket,
  carried: CarriedRun | null = null,
  turnsPerHistory = TURNS_PER_HISTORY,
): Promise<RunEnd> {
  const lease = new GpuLease(ticket, carried);
  setHandler(leaseGranted, (granted) => lease.granted(granted));
  const answered = new AnsweredTurns();
  setHandler(turnAnswered, (turn) => answered.add(turn));
  const state = new RunState(ticket, carried, turnsPerHistory);
  let outcome: RunEnd | 'continue';
  try {
    outcome = await play(state, lease, answered, carried !== null);
  } catch (error) {
    outcome = endOfFailure(error);
  }
  if (outcome === 'continue') return continueAsNew<typeof run>(ticket, state.carried(lease.lastToken), turnsPerHistory);
  return endRun(state, lease, outcome);
}

/** Until the run ends or its history is long, on as many hosts as it takes. */
async function play(
  state: RunState,
  lease: GpuLease,
  answered: AnsweredTurns,
  isStarted: boolean,
): Promise<RunEnd | 'continue'> {
  let started = isStarted;
  let lostAtStart: string | undefined;
  for (;;) {
    if (state.place === null) {
      const found = await placeAndBegin(state, lease);
      if (found === null) continue;
      started = found.started === true;
      lostAtStart = found.lost;
    }
    try {
      if (!started) await startContainer(state, lostAtStart);
      started = true;
      return await (state.ticket.program === true ? playProgram(state) : takeSteps(state, answered));
    } catch (error) {
      if (!(error instanceof HostLost)) throw error;
      if (error.announced) state.handedOn += 1;
      state.handedOnBy = error.announced ? error.hostId : undefined;
      state.place = null;
      state.progress = { ...state.progress, epoch: state.progress.epoch + 1 };
      started = false;
      await lease.abandon();
    }
  }
}

/**
 * Leases the run's GPUs, if any, then places it (on their host), where its container begins. Null:
 * the host of its GPUs takes no runs now.
 */
async function placeAndBegin(
  state: RunState,
  lease: GpuLease,
): Promise<Awaited<ReturnType<ControlActivities['placeRun']>> | null> {
  const { ticket, progress } = state;
  if (progress.epoch > state.lastEpoch) throw ApplicationFailure.nonRetryable(`${MAX_EPOCHS} containers were lost`);
  const seconds = secondsToEnd(ticket, progress.elapsedMs);
  const time = seconds === undefined ? {} : { seconds };
  const granted = ticket.gpus > 0 ? await lease.acquire(time) : null;
  const hostOrTime = granted === null ? time : { hostId: granted.hostId };
  const token = granted?.token;
  const leased = { devices: granted?.devices ?? [], ...(token === undefined ? {} : { token }) };
  const placed = await placement
    .placeRun({
      ...{ runId: ticket.runId, epoch: progress.epoch, ...hostOrTime },
      start: { ...leased, ...restoreArgs(state, progress.epoch) },
    })
    .catch((error: unknown) => {
      if (isHostRefusing(error)) return null;
      throw error;
    });
  if (placed === null) {
    await lease.giveBackAndPause();
    return null;
  }
  state.place = { hostId: placed.hostId, ...leased };
  state.progress = { ...progress, epoch: placed.epoch };
  return placed;
}

/** Later epochs restore all recorded steps. The first after a host that left says so. */
function restoreArgs({ ticket, handedOnBy }: RunState, epoch: number) {
  const replayThrough = ticket.program === true ? 0 : epoch === 1 ? ticket.copiedSteps : ticket.maxSteps;
  return { replayThrough, ...(handedOnBy === undefined ? {} : { handedOnBy }) };
}

/** On a new host. `lostAtStart`: why the container that its placement began is gone. */
async function startContainer(state: RunState, lostAtStart: string | undefined): Promise<void> {
  const { runId } = state.ticket;
  const first = state.progress.epoch + (lostAtStart === undefined ? 0 : 1);
  const { hostId, ...leased } = state.place!;
  await startReplacingLost(
    {
      hostId,
      epoch: first,
      last: state.lastEpoch,
      ...(lostAtStart === undefined ? {} : { because: lostAtStart }),
    },
    (epoch) => {
      if (epoch !== first) state.handedOnBy = undefined;
      return { runId, epoch, ...leased, ...restoreArgs(state, epoch) };
    },
    (epoch) => (state.progress = { ...state.progress, epoch }),
  );
}

/**
 * Containers before the lease, so that the next holder finds its GPU unused. On failure the pool
 * does both.
 */
async function endRun(state: RunState, lease: GpuLease, end: RunEnd): Promise<RunEnd> {
  const { ticket, place } = state;
  const { runId, hiddenSplit } = ticket;
  // Its hidden test needs the GPUs too.
  const keepsLease = hiddenSplit && ticket.evaluatorGpu === true;
  let stopped = true;
  await CancellationScope.nonCancellable(async () => {
    stopped = place === null || (await stopAndFinish(place.hostId, runId, hiddenSplit ? undefined : end));
    if (ticket.gpus > 0 && stopped && !keepsLease) await lease.release();
    if (!hiddenSplit && (place === null || !stopped)) await control.finishRun({ runId, end });
  });
  if (!hiddenSplit) return end;
  const { epoch } = state.progress;
  const judged =
    place === null
      ? end
      : await judgedByTest(ticket, { hostId: place.hostId, epoch }, end, keepsLease ? lease : undefined);
  await CancellationScope.nonCancellable(async () => {
    if (keepsLease && stopped) await lease.release();
    await control.finishRun({ runId, end: judged });
  });
  return judged;
}

/** With `end`, stores it too. A container that cannot be removed is left to the reaper. */
async function stopAndFinish(hostId: string, runId: string, end: RunEnd | undefined): Promise<boolean> {
  const options = containerOptions(hostId);
  const brief = { ...options, scheduleToCloseTimeout: '10 minutes' } as const;
  try {
    await proxyActivities<HostActivities>(brief).stopContainer({ runId, ...(end === undefined ? {} : { end }) });
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
