import type { TurnKey, TurnResult } from '../domain/ports/player.js';
import type { CallLedger } from '../domain/ports/record/call-ledger.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { WorkerIdentity } from '../domain/ports/worker-identity.js';
import type { RunDefinition } from '../domain/run/run.js';

/** While calls in flight, which take seconds, hold the rest of the budget. */
const BUDGET_WAIT_MS = 2_000;

const LONGEST_WAIT_MS = 5_000;

/** Writes the turn's row before the call; or returns a stored reply, or that budget is missing. */
export async function reserveTurn(
  store: CallLedger & EventLog,
  run: RunDefinition,
  key: TurnKey,
  call: Parameters<CallLedger['reserveCall']>[1] & { isGone?: WorkerIdentity['isGone'] },
): Promise<{ kind: 'reserved'; attempt: number } | Exclude<TurnResult, { kind: 'asked' }>> {
  const reserved = await store.reserveCall(key, call);
  if (reserved.kind === 'reserved') return reserved;
  if (reserved.kind === 'stored') return { kind: 'reply', reply: reserved.reply, ms: reserved.ms };
  if (reserved.kind === 'elsewhere') {
    const { worker, givesUpInMs } = reserved;
    if (call.isGone?.(worker) === true)
      return reserveTurn(store, run, key, { ...call, gone: [...(call.gone ?? []), worker] });
    return { kind: 'wait', waitMs: Math.ceil(Math.min(Math.max(givesUpInMs, 1), LONGEST_WAIT_MS)) };
  }
  if (reserved.open) return { kind: 'wait', waitMs: BUDGET_WAIT_MS };
  // The event lets a raised budget continue the run, which has no evaluation yet.
  await store.addEvent({
    ...{ runId: run.runId, batchId: run.batchId, kind: 'budget_exhausted', key: `budget-${key.step}` },
    detail: `step ${key.step}: the next call may cost $${call.reservedUsd}, more than is left of the batch's budget`,
  });
  return { kind: 'end', endReason: 'budget' };
}
