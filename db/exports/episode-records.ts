import type { RecordedAction, EpisodeRecord } from '../../domain/ports/exports.js';
import type pg from 'pg';
import { errorFields, queryError } from '../database-error.js';
import { wantedIds, wantedValues } from '../queries/episodes.js';
import type { EpisodesWanted } from '../../domain/ports/reading/training.js';

const AT_ONCE = 20;

const RECORDS = (ids: string): string => `
  with ids as materialized (select array(${ids}) as ids)
  select m.episode_id, m.run_id, m.batch_id, m.task, m.seed::float8 as seed, m.group_key as "group", e.labels, m.policy_version,
    r.forked_from, r.forked_at_step, m.status, m.end_reason, r.final_evaluation, m.reward, m.gain, b.value as baseline, m.fault,
    m.is_terminated as terminated, m.is_truncated as truncated, m.errored, m.masked, m.num_turns, m.format_errors, m.validations,
    e.reward as reward_request, m.created_at, m.ended_at, coalesce(w.rewards, '[]') as rewards
  from ids
  cross join lateral measure_episodes(ids.ids) m
  join episodes e on e.run_id = m.run_id
  join runs r on r.run_id = m.run_id
  left join baselines b on b.content_hash = r.task_hash
  left join (
    select a.run_id, jsonb_agg(jsonb_build_object('reward', a.reward, 'gain', a.gain, 'format_error', a.format_error) order by a.seq) as rewards
    from ids cross join lateral action_rewards(ids.ids) a group by a.run_id
  ) w on w.run_id = m.run_id
  order by r.ordinal`;

const ACTIONS = `
  select a.run_id, a.seq as action_seq, a.step, a.policy_version,
    coalesce(a.action ->> 'reply', a.action ->> 'command', a.action ->> 'malformed') as text,
    coalesce(a.outcome ->> 'message', (
      select t.messages -> -1 ->> 'content' from turns t
      where t.run_id = a.run_id and (t.step, t.try) > (a.step, a.try) and t.messages is not null order by t.step, t.try limit 1
    )) as outcome,
    (
      select v.primary_score from evaluations v
      where v.run_id = a.run_id and (v.step = a.step or v.step > a.step and a.seq = e.seq) and v.kind <> 'baseline' and v.status = 'ok'
        and v.split = case when k.spec -> 'splits' ? 'validation' then 'validation' else 'test' end
      order by v.number desc limit 1
    ) as score,
    s.exit_code, coalesce(s.timed_out, false) as timed_out,
    t.think_ms, t.queue_ms, t.command_ms, t.evaluation_ms, t.platform_ms
  from episode_actions a
  join episodes e on e.run_id = a.run_id
  join runs r on r.run_id = a.run_id
  join task_versions k on k.content_hash = r.task_hash
  join episode_times($1) t on t.run_id = a.run_id and t.seq = a.seq
  left join steps s on s.run_id = a.run_id and s.step = a.step
  where a.run_id = any ($1) order by a.run_id, a.seq`;

type Times = 'created_at' | 'ended_at';
type Row = Omit<EpisodeRecord, Times | 'actions'> & { created_at: Date; ended_at: Date | null } & {
  rewards: Pick<RecordedAction, 'reward' | 'gain' | 'format_error'>[];
};

/** By reset, from one snapshot; memory does not grow with their number. */
export async function* episodeRecords(pool: pg.Pool, wanted: EpisodesWanted): AsyncGenerator<EpisodeRecord> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(`declare episodes_wanted no scroll cursor for ${RECORDS(wantedIds())}`, wantedValues(wanted));
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${AT_ONCE} from episodes_wanted`);
      const ids = rows.map((row) => row.run_id);
      const { rows: actions } = await client.query<
        Omit<RecordedAction, 'reward' | 'gain' | 'format_error'> & { run_id: string }
      >(ACTIONS, [ids]);
      for (const { rewards, created_at: created, ended_at: ended, ...row } of rows) {
        const own = actions.filter((action) => action.run_id === row.run_id);
        yield {
          ...row,
          actions: own.map(({ run_id: _, ...action }, at) => withRewards(action, rewards[at])),
          created_at: created.toISOString(),
          ended_at: ended?.toISOString() ?? null,
        };
      }
      if (rows.length < AT_ONCE) return;
    }
  } catch (error) {
    throw errorFields(error).code === undefined ? error : queryError('exporting episodes', error);
  } finally {
    // Read-only, so roll back, also when the reader stops early.
    await client.query('rollback').catch(() => undefined);
    client.release();
  }
}

/** A reply of which nothing was executed has no command of its step. */
function withRewards(
  action: Omit<RecordedAction, 'reward' | 'gain' | 'format_error'>,
  earned: Pick<RecordedAction, 'reward' | 'gain' | 'format_error'> = { reward: null, gain: null, format_error: false },
): RecordedAction {
  const idle = earned.format_error ? { exit_code: null, timed_out: false, score: null } : {};
  return { ...action, ...earned, ...idle };
}
