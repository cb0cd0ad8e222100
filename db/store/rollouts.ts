import type pg from 'pg';
import type { RolloutRow, Rollouts } from '../../domain/ports/rollouts.js';
import type { RolloutCall } from '../../domain/rollouts/training-turn.js';
import { storeError } from '../database-error.js';
import { inTransaction } from '../in-transaction.js';
import { statements } from '../statements.js';

const ROLLOUT = `select r.run_id as "runId", e.episode_id as "rolloutId", o.end_sequence::float8 as "endSequence", r.task_id as task,
    r.seed::float8 as seed, r.agent_name as agent, r.provider_model as model, r.backend, o.capture, e.labels, e.group_key as "group",
    e.policy_version as "policyVersion", r.status <> 'queued' as started, r.status = 'ended' as ended, r.end_reason as "endReason",
    r.final_evaluation as "finalEvaluation", r.detail, r.step as steps, paid.reward, paid.gain, paid.fault,
    coalesce(extract(epoch from coalesce(r.ended_at, now()) - r.started_at), 0)::float8 as seconds,
    o.acknowledged_at is not null as acknowledged
  from rollouts o join episodes e on e.run_id = o.run_id join runs r on r.run_id = o.run_id
  left join lateral (select * from episode_returns(array[o.run_id], e.reward, true)) paid on true`;

const UNNUMBERED = `select o.run_id from rollouts o join runs r on r.run_id = o.run_id where o.end_sequence is null and r.status = 'ended'`;

/** Ends have an order that never changes. */
export function rolloutStore(pool: pg.Pool): Rollouts {
  const run = statements(pool, storeError);
  /** Under a lock, so that numbers appear in order. Deletes unneeded rows. */
  const number = async (): Promise<void> => {
    if ((await run('unnumberedRollouts', `${UNNUMBERED} limit 1`, [])).length === 0) return;
    await inTransaction(pool, async (client) => {
      await client.query(`select pg_advisory_xact_lock(hashtext('bench rollouts'))`);
      await client.query(
        `with next as (
           select u.run_id, row_number() over (order by r.ended_at, r.run_id) + coalesce((select max(end_sequence) from rollouts), 0) as end_sequence
           from (${UNNUMBERED}) u join runs r on r.run_id = u.run_id
         )
         update rollouts o set end_sequence = next.end_sequence, sealed = null from next where o.run_id = next.run_id`,
      );
    }).catch((error: unknown) => {
      throw storeError('numberRollouts', error);
    });
  };

  return {
    async find(id) {
      const [row] = await run<RolloutRow>('findRollout', `${ROLLOUT} where e.episode_id = $1 or e.run_id = $1`, [id]);
      return row ?? null;
    },

    async ended({ batchId, after, labels, group, limit }) {
      await number();
      return run<RolloutRow>(
        'endedRollouts',
        `${ROLLOUT}
         where r.batch_id = $1 and o.end_sequence > $2 and o.acknowledged_at is null
           and ($5::text is null or e.group_key = $5)
           and not exists (
             select from unnest($3::text[], $4::text[]) as wanted (name, value)
             where e.labels ->> wanted.name is distinct from wanted.value
           )
         order by o.end_sequence limit $6`,
        [batchId, after, labels.map(([name]) => name), labels.map(([, value]) => value), group, limit],
      );
    },

    async calls(runId) {
      return run<RolloutCall>(
        'rolloutCalls',
        `select k.run_id as "runId", k.step, k.try, k.level, k.prompt_token_ids as "promptTokenIds", k.token_ids as "tokenIds",
           k.logprobs, k.request, m.response as text, m.tool_calls as "toolCalls", m.finish_reason as "finishReason"
         from captured_calls k
         join model_calls m on m.run_id = k.run_id and m.step = k.step and m.try = k.try and m.status = 'confirmed'
         where k.run_id = $1 order by k.step, k.try`,
        [runId],
      );
    },

    async acknowledge(batchId, ids) {
      await number();
      const rows = await run<{ id: string }>(
        'acknowledgeRollouts',
        `with known as (
           select o.run_id, given.id from unnest($2::text[]) as given (id)
           join episodes e on e.episode_id = given.id or e.run_id = given.id
           join rollouts o on o.run_id = e.run_id join runs r on r.run_id = o.run_id
           where r.batch_id = $1 and o.end_sequence is not null
         ), gone as (
           delete from captured_calls k using known where k.run_id = known.run_id
         ), acknowledged as (
           update rollouts o set acknowledged_at = coalesce(o.acknowledged_at, now()) from known where o.run_id = known.run_id
         )
         select id from known`,
        [batchId, ids],
      );
      return rows.map(({ id }) => id);
    },
  };
}
