import type { BatchFilter } from '../../domain/ports/reading/batches.js';
import type { Statements } from '../statements.js';
import { missingBatch } from '../store/missing.js';
import { unreachableHosts } from './operations.js';
import { blockerOf } from './blocker.js';
import { providerTroubles } from './provider-troubles.js';
import { listRuns } from './runs.js';
import { BATCH_SUMMARY, batchSummary, type BatchSummaryRow, OWN_BATCH } from './summaries.js';
import { episodeStates } from './training.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { UsageForecast } from '../../domain/views/forecast.js';
import type { BatchStatusReport, ListedBatch, TrainingState } from '../../domain/views/batches.js';

const LISTED = `${OWN_BATCH} and ($2 or b.archived_at is null) and ($3::text is null or $3 = any (b.tags))`;

export async function listBatches(
  run: Statements,
  limit: number,
  { archived = false, tag = null }: BatchFilter = {},
): Promise<{ batches: ListedBatch[]; total: number }> {
  const rows = await run<BatchSummaryRow & { total: number; byStatus: Record<string, number> | null }>(
    'listBatches',
    `select listed.*, (select count(*)::int from batches b where ${LISTED}) as total,
       (select jsonb_object_agg(status, runs) from (
          select r.status, count(*) as runs from runs r where r.batch_id = listed."batchId" group by r.status
        ) counted) as "byStatus"
     from (${BATCH_SUMMARY} where ${LISTED} order by b.created_at desc, b.batch_id desc limit $1) listed
     order by listed."createdAt" desc, listed."batchId" desc`,
    [limit, archived, tag],
  );
  const batches = rows.map(({ total: _total, byStatus, ...row }) => ({
    ...batchSummary(row),
    byStatus: byStatus ?? {},
  }));
  return { batches, total: rows[0]?.total ?? 0 };
}

export async function batchStatus(run: Statements, batchId: string): Promise<BatchStatusReport> {
  const [row] = await run<BatchSummaryRow>('batchStatus', `${BATCH_SUMMARY} where b.batch_id = $1`, [batchId]);
  if (row === undefined) throw missingBatch(batchId);
  const runList = await listRuns(run, { batchId, limit: row.runs }, 'r.ordinal');
  const [more] = await run<{ replaced: number; forecast: UsageForecast | null; allocation: Allocation | null }>(
    'batchExtras',
    `select b.forecast, b.allocation, (
       select count(*)::int from runs r where r.batch_id = b.batch_id and r.replaces is not null
     ) as replaced
     from batches b where b.batch_id = $1`,
    [batchId],
  );
  const count = (words: (string | null)[]) => {
    const counts: Record<string, number> = {};
    for (const word of words) if (word !== null) counts[word] = (counts[word] ?? 0) + 1;
    return counts;
  };
  const summary = batchSummary(row);
  const byStatus = count(runList.map((r) => r.status));
  const providerErrors = await providerTroubles(run, { batchId });
  const isOver = summary.endedAt !== null;
  return {
    ...summary,
    byStatus,
    byEndReason: count(runList.map((r) => r.endReason)),
    replaced: more?.replaced ?? 0,
    forecast: more?.forecast ?? null,
    allocation: more?.allocation ?? null,
    episodes: row.training ? await trainingState(run, batchId) : null,
    providerErrors,
    unreachableHosts: await unreachableHosts(run, batchId),
    ...(await blockerOf(run, { batchId, isOver, byStatus, providerErrors })),
    runList,
  };
}

/** Rewards of a few: clients that watch poll twice a second. */
const LATEST = 100;

export async function trainingState(run: Statements, batchId: string): Promise<TrainingState> {
  const { open, ended } = await episodeStates(run, batchId);
  const [latest] = await run<Pick<TrainingState, 'reward' | 'latest'>>(
    'latestRewards',
    `select avg(m.reward) as reward, count(*)::int as latest
     from measure_episodes(array(
       select r.run_id from runs r where r.batch_id = $1 and r.status = 'ended' order by r.ended_at desc limit ${LATEST}
     )) m`,
    [batchId],
  );
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, count) => all + count, 0);
  return {
    open: sum(open),
    ended: sum(ended),
    states: open,
    reward: latest?.reward ?? null,
    latest: latest?.latest ?? 0,
  };
}
