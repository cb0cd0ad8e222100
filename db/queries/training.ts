import type { EpisodeStates, GroupMetrics, PolicyMetrics } from '../../domain/views/training.js';
import type { Statements } from '../statements.js';

type PolicyRow = Omit<PolicyMetrics, 'tools/call_frequency' | 'tools/failure_frequency'> & {
  tools_call_frequency: number | null;
  tools_failure_frequency: number | null;
};

/** By version; episodes without one first. */
export async function policyMetrics(run: Statements, batchId: string): Promise<PolicyMetrics[]> {
  const rows = await run<PolicyRow>(
    'policyMetrics',
    'select * from measure_policies($1) order by policy_version nulls first',
    [batchId],
  );
  return rows.map(({ tools_call_frequency: calls, tools_failure_frequency: failures, ...row }) => ({
    ...row,
    'tools/call_frequency': calls,
    'tools/failure_frequency': failures,
  }));
}

/** By version, task and group. */
export const groupMetrics = (run: Statements, batchId: string): Promise<GroupMetrics[]> =>
  run<GroupMetrics>(
    'groupMetrics',
    `select policy_version, task, group_key as "group", seed::float8 as seed, episodes, ended, rewarded, reward, reward_std,
       reward_min, reward_max, zero_spread
     from group_episodes($1) order by policy_version nulls first, task, group_key, seed`,
    [batchId],
  );

/** Cheap: it reads neither actions nor rewards. */
export async function episodeStates(run: Statements, batchId: string): Promise<EpisodeStates> {
  const [row] = await run<EpisodeStates>(
    'episodeStates',
    `select s.slots, jsonb_build_object('idle', s.idle, 'waiting', s.waiting, 'active', s.active, 'detached', s.detached) as open,
       (select coalesce(jsonb_object_agg(e.end_reason, e.runs), '{}') from (
          select r.end_reason, count(*) as runs from runs r where r.batch_id = $1 and r.status = 'ended' group by r.end_reason
        ) e) as ended
     from episode_states s where s.batch_id = $1`,
    [batchId],
  );
  return row ?? { slots: 0, open: { idle: 0, waiting: 0, active: 0, detached: 0 }, ended: {} };
}
