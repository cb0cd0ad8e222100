import type pg from 'pg';
import type { EpisodeOutcome } from '../../../domain/episodes/action-outcome.js';
import type { Episodes, TakenAction, EpisodeRow, TakenBefore } from '../../../domain/ports/episodes.js';
import { type Statements, storable } from '../../statements.js';
import { EPISODE } from './rows.js';
import { transaction } from './transaction.js';

export async function takeAction(
  pool: pg.Pool,
  { runId, seq, action, reply, policyVersion }: Parameters<Episodes['take']>[0],
): Promise<TakenAction> {
  return transaction(pool, 'takeAction', async (client): Promise<TakenAction> => {
    const { rows } = await client.query<EpisodeRow>(`${EPISODE} where e.run_id = $1 for update of e`, [runId]);
    const [episode] = rows;
    if (episode === undefined) return { kind: 'not_found' };
    // Before the comparison, too: a repeated action must be equal.
    const text = JSON.stringify(action, (_key, value: unknown) =>
      typeof value === 'string' ? storable(value) : value,
    );
    const wanted = seq ?? episode.seq + 1;
    if (wanted > episode.seq + 1 || wanted < 1) return { kind: 'out_of_order', expected: episode.seq + 1 };
    const before = await client.query<{ step: number; try: number; same: boolean; settled: boolean }>(
      `select step, try, action = $3::jsonb as same, outcome is not null as settled
           from episode_actions where run_id = $1 and seq = $2`,
      [runId, Math.min(wanted, episode.seq), text],
    );
    const last = before.rows[0];
    if (last !== undefined && wanted <= episode.seq) {
      if (!last.same) return { kind: 'action_conflict', seq: wanted };
      return {
        kind: 'taken',
        seq: wanted,
        repeated: true,
        answers: { step: last.step, try: last.try },
        heard: false,
      };
    }
    if (last?.settled === false) return { kind: 'busy', seq: episode.seq };
    if (episode.ended) return { kind: 'ended' };
    const answers = { step: episode.nextStep, try: episode.nextTry };
    const answered = await client.query<{ heard: boolean }>(
      `with acted as (
             insert into episode_actions (run_id, seq, step, try, action, policy_version) values ($1, $2, $3, $4, $5::jsonb, $6)
           ), answered as (
             insert into turns as t (run_id, step, try, reply, replied_at) values ($1, $3, $4, $7, now())
             on conflict (run_id, step, try) do update set reply = excluded.reply, replied_at = now() where t.reply is null
             returning coalesce(t.listened_until > now(), false) as heard
           )
           update episodes set seq = $2, policy_version = coalesce($6, policy_version), requested_at = coalesce(requested_at, now()),
             expires_at = now() + make_interval(secs => idle_seconds), detached_at = null
           where run_id = $1 returning (select bool_or(heard) from answered) is true as heard`,
      [runId, wanted, answers.step, answers.try, text, policyVersion ?? episode.policyVersion, storable(reply)],
    );
    return { kind: 'taken', seq: wanted, repeated: false, answers, heard: answered.rows[0]?.heard === true };
  });
}

export async function takenAction(run: Statements, runId: string, seq: number): Promise<TakenBefore | null> {
  const [row] = await run<TakenBefore>(
    'takenAction',
    `select action, outcome is not null as settled, delivered_at is not null as delivered, coalesce(printed, '') as printed
         from episode_actions where run_id = $1 and seq = $2`,
    [runId, seq],
  );
  return row ?? null;
}

export async function deliverAction(run: Statements, runId: string, seq: number): Promise<void> {
  await run(
    'deliverAction',
    `update episode_actions set delivered_at = now() where run_id = $1 and seq = $2 and delivered_at is null`,
    [runId, seq],
  );
}

export async function interruptAction(run: Statements, runId: string, seq: number): Promise<void> {
  await run(
    'interruptAction',
    `update episode_actions set interrupted_at = now() where run_id = $1 and seq = $2 and outcome is null and interrupted_at is null`,
    [runId, seq],
  );
}

export async function settleAction(
  run: Statements,
  runId: string,
  outcome: EpisodeOutcome,
  next: { step: number; try: number } | null,
): Promise<EpisodeOutcome> {
  const [row] = await run<{ outcome: EpisodeOutcome }>(
    'settleAction',
    `with settled as (
           update episode_actions set outcome = $3::jsonb, settled_at = now()
           where run_id = $1 and seq = $2 and outcome is null
           returning outcome
         ), moved as (
           update episodes set next_step = $4, next_try = $5
           where run_id = $1 and seq = $2 and $4::int is not null and exists (select from settled)
         )
         select outcome from settled
         union all select outcome from episode_actions where run_id = $1 and seq = $2 and not exists (select from settled)`,
    [runId, outcome.seq, JSON.stringify(outcome), next?.step ?? null, next?.try ?? null],
  );
  if (row === undefined) throw new Error(`run ${runId}: an outcome of action ${outcome.seq}, which was never taken`);
  return row.outcome;
}
