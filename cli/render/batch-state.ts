import { formatCost, formatTime, plural } from './format.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';

type State = Pick<
  BatchStatusReport,
  | 'batchId'
  | 'origin'
  | 'status'
  | 'runs'
  | 'ended'
  | 'concurrency'
  | 'pausedAt'
  | 'budgetUsd'
  | 'chargedUsd'
  | 'byStatus'
  | 'byEndReason'
  | 'replaced'
>;

const are = (count: number, what: string): string =>
  `${plural(count, 'run')} ${count === 1 ? 'waits' : 'wait'} ${what}`;

/** Why the batch is not further than it is, and what it has of its budget: a line each. */
export function batchState(batch: State): string[] {
  const { pausedAt, budgetUsd, chargedUsd, byStatus, byEndReason, concurrency, replaced } = batch;
  const count = (status: string): number => byStatus[status] ?? 0;
  const [queued, forGpus, forHost] = [count('queued'), count('waiting_gpu'), count('waiting_host')];
  const stopped = byEndReason['budget'] ?? 0;
  return [
    ...(pausedAt === null ? [] : [`paused since ${formatTime(pausedAt)}: no new runs start, running ones continue`]),
    ...(budgetUsd === null
      ? []
      : [
          `budget ${formatCost(budgetUsd)}, charged ${formatCost(chargedUsd)} (${Math.round((100 * Number(chargedUsd)) / Number(budgetUsd))} %)` +
            (stopped === 0 ? '' : `; it stopped ${plural(stopped, 'run')}`),
        ]),
    ...(forGpus === 0 ? [] : [`${are(forGpus, 'for GPUs')}: bench leases`]),
    ...(forHost === 0 ? [] : [`${are(forHost, 'for a host with room')}: bench hosts`]),
    ...(queued === 0 || pausedAt !== null ? [] : [`${are(queued, 'for their turn')}: ${concurrency} at a time`]),
    ...(replaced === 0
      ? []
      : [`${plural(replaced, 'run')} ${replaced === 1 ? 'was' : 'were'} replaced by a later one`]),
  ];
}

/** What somebody who looks at the batch most likely wants next. */
export function nextCommand(batch: State): string {
  const { batchId, pausedAt, byEndReason, replaced, status, origin } = batch;
  const open = batch.ended < batch.runs && status !== 'cancelled';
  if (origin !== 'bench') return `bench leaderboard --batch ${batchId}`;
  if (open && pausedAt !== null) return `bench resume ${batchId}`;
  if (open) return `bench watch ${batchId}`;
  const [infra, config] = [byEndReason['infra_error'] ?? 0, byEndReason['config_error'] ?? 0];
  if (infra + config > replaced) return `bench retry ${batchId}${config > 0 ? ' --all' : ''}`;
  if ((byEndReason['budget'] ?? 0) > replaced) return `bench resume ${batchId} --budget <usd>`;
  return `bench leaderboard --batch ${batchId}`;
}
