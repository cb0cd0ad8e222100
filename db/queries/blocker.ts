import { blockerOfRows, type HostFacts } from '../../domain/run/blocker.js';
import type { Blocker } from '../../domain/views/blocker.js';
import type { ProviderTrouble } from '../../domain/views/provider-trouble.js';
import type { Statements } from '../statements.js';
import { hosts } from './operations.js';
import { isoTimeOrNull } from './summaries.js';

/** Of an unfinished batch. `lastStepAt`: when the last step of any of its runs was stored. */
export async function blockerOf(
  run: Statements,
  batch: {
    batchId: string;
    isOver: boolean;
    byStatus: Readonly<Record<string, number>>;
    providerErrors: readonly ProviderTrouble[];
  },
): Promise<{ lastStepAt: string | null; blockedBy: Blocker | null }> {
  const [row] = await run<{
    lastStepAt: Date | null;
    storeFailure: string | null;
    onHosts: Record<string, number> | null;
  }>(
    'blockerOf',
    `with last as (
       select max(coalesce(s.executed_at, s.created_at)) as at
       from runs r cross join lateral (
         select executed_at, created_at from steps where run_id = r.run_id order by step desc limit 1
       ) s where r.batch_id = $1
     )
     select last.at as "lastStepAt",
       (select e.detail from events e join runs r on r.run_id = e.run_id
        where e.batch_id = $1 and e.kind = 'activity_retried' and e.detail like '%: the artifact store %' and r.status <> 'ended'
          and (last.at is null or e.at > last.at)
        order by e.at desc limit 1) as "storeFailure",
       (select jsonb_object_agg(host_id, runs) from (
          select host_id, count(*) as runs from runs where batch_id = $1 and status <> 'ended' and host_id is not null group by 1
        ) placed) as "onHosts"
     from last`,
    [batch.batchId],
  );
  const lastStepAt = isoTimeOrNull(row?.lastStepAt ?? null);
  if (batch.isOver) return { lastStepAt, blockedBy: null };
  const ofRuns = (await hosts(run, false)).filter(({ roles }) => roles.includes('host'));
  const facts = ofRuns.map(({ hostId, state, pauseReason, seenAt }): HostFacts => ({
    ...{ hostId, pauseReason, seenAt, runs: row?.onHosts?.[hostId] ?? 0 },
    state: state === 'removed' ? 'lost' : state,
  }));
  const { byStatus, providerErrors } = batch;
  const storeFailure = row?.storeFailure ?? null;
  return { lastStepAt, blockedBy: blockerOfRows({ hosts: facts, byStatus, storeFailure, providerErrors }) };
}
