import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  log,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  SIGNAL,
  type ControlActivities,
  type HostActivities,
  type Lease,
  type LeaseRequest,
} from '../domain/model/messages.js';
import { runWorkflowId } from '../domain/run/queues.js';
import { controlOptions, reclaimOptions } from './activity-options.js';
import {
  abandon,
  emptyPool,
  expired,
  grant,
  isIdle,
  keepLost,
  lookedAfter,
  poolOf,
  release,
  request,
  revoke,
  setHosts,
  watchedRuns,
  withdraw,
  type GpuPoolState,
} from './gpu-pool-state.js';

const control = proxyActivities<ControlActivities>(controlOptions);

const hostsChangedSignal = defineSignal(SIGNAL.hostsChanged);
const requestLeaseSignal = defineSignal<[LeaseRequest]>(SIGNAL.requestLease);
const releaseLeaseSignal = defineSignal<[{ runId: string; token: number | null }]>(SIGNAL.releaseLease);
const abandonLeaseSignal = defineSignal<[{ runId: string; token: number }]>(SIGNAL.abandonLease);

/** A dead holder's GPUs are free within half a minute. */
const ROUND_MS = 10_000;

/** One per namespace; grants by signal. */
export async function gpuPool(carried?: GpuPoolState): Promise<void> {
  let state = carried ?? emptyPool();
  let changed = true;
  let nextRoundAt = 0;
  /** Signals that arrived before the pool knew what is held. */
  let early: (() => void)[] | null = carried === undefined ? [] : null;
  const handle = (change: () => void): void => {
    if (early === null) change();
    else early.push(change);
    changed = true;
  };
  setHandler(hostsChangedSignal, () => {
    nextRoundAt = 0;
    changed = true;
  });
  setHandler(requestLeaseSignal, (wanted) => handle(() => request(state, wanted)));
  setHandler(releaseLeaseSignal, ({ runId, token }) => handle(() => release(state, runId, token)));
  setHandler(abandonLeaseSignal, ({ runId, token }) => handle(() => abandon(state, runId, token)));

  if (early !== null) {
    state = poolOf(await control.openLeases());
    const changes = early;
    early = null;
    for (const change of changes) change();
  }

  const reclaiming = new Set<number>();
  const reclaim = (runId: string, lease: Lease, reason: 'closed' | 'expired'): void => {
    if (reclaiming.has(lease.token)) return;
    reclaiming.add(lease.token);
    revoke(state, lease.token);
    void takeBack(runId, lease, reason).finally(() => {
      reclaiming.delete(lease.token);
      changed = true;
    });
  };

  const grantAll = async (): Promise<void> => {
    while (changed) {
      changed = false;
      for (const { runId, lease } of grant(state, Date.now())) {
        try {
          await getExternalWorkflowHandle(runWorkflowId(runId)).signal(SIGNAL.leaseGranted, lease);
        } catch {
          // The run closed while waiting: return the grant for the next one.
          release(state, runId, lease.token);
          changed = true;
        }
      }
    }
  };

  const isFull = (): boolean => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength >= (state.continueAfterEvents ?? Infinity);
  };

  const round = async (): Promise<void> => {
    nextRoundAt = Date.now() + ROUND_MS;
    await lookAround(state, reclaim);
    changed = true;
  };

  for (;;) {
    // An idle pool's knowledge of its hosts may be old.
    if (!isFull() && Date.now() >= nextRoundAt) await round();
    await grantAll();
    const full = isFull();
    if (full && reclaiming.size === 0 && allHandlersFinished()) await continueAsNew<typeof gpuPool>(state);
    // With a full history start nothing, but keep granting until pending activities return.
    const moved = () => changed || (!full && nextRoundAt === 0);
    if (full || isIdle(state)) {
      await condition(moved);
      nextRoundAt = 0;
    } else await condition(moved, Math.max(1, nextRoundAt - Date.now()));
  }
}

async function lookAround(
  state: GpuPoolState,
  reclaim: (runId: string, lease: Lease, reason: 'closed' | 'expired') => void,
): Promise<void> {
  const asked = state.lost.map((holder) => holder.lease.token);
  const seen = await control.poolRound({ runIds: watchedRuns(state), lostTokens: asked });
  setHosts(state, seen.hosts);
  // Leases given up meanwhile were not part of the question.
  const since = state.lost.map((holder) => holder.lease.token).filter((token) => !asked.includes(token));
  keepLost(state, [...seen.lostTokens, ...since]);
  const closed = new Set(seen.closed);
  for (const runId of closed) withdraw(state, runId);
  lookedAfter(state, { now: Date.now(), roundMs: ROUND_MS, liveHosts: seen.liveHosts });
  const overdue = new Set(expired(state, Date.now()));
  for (const holder of state.held) {
    const { hostId } = holder.lease;
    if (seen.removedHosts.includes(hostId) && closed.has(holder.runId))
      release(state, holder.runId, holder.lease.token);
    // An unreachable host cannot be cleaned up, so its GPUs are not leased again.
    if (!seen.liveHosts.includes(hostId)) continue;
    if (closed.has(holder.runId)) reclaim(holder.runId, holder.lease, 'closed');
    else if (overdue.has(holder)) reclaim(holder.runId, holder.lease, 'expired');
  }
}

/** Its containers go first, as they may use the GPUs. After a failure the next round retries. */
async function takeBack(runId: string, lease: Lease, reason: 'closed' | 'expired'): Promise<void> {
  await control.revokeLease({ runId, lease, reason });
  const host = proxyActivities<HostActivities>(reclaimOptions(lease.hostId));
  try {
    await host.stopContainer({ runId });
  } catch (error) {
    log.warn('the containers of a revoked lease could not be removed; its GPUs are not leased again', {
      runId,
      hostId: lease.hostId,
      error: String(error),
    });
    return;
  }
  await control.releaseLease({ runId, token: lease.token });
}
