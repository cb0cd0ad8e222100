import { DEFAULT_PROJECT } from '../../domain/project.js';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { ActionProgress, EpisodeOutcome } from '../../domain/episodes/outcome.js';
import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow, Episodes, NewEpisode, TakenAction, TakenBefore } from '../../domain/ports/episodes.js';
import type { RunDefinition, RunTicket } from '../../domain/run.js';
import { storeError } from '../database-error.js';
import { inTransaction } from '../in-transaction.js';
import { preparedStatements, storable } from '../statements.js';
import { insertRuns } from '../submission.js';
import { TICKETS } from './definitions.js';
import { usedValidations } from './evaluations.js';
import { stepRewards } from './step-reward.js';

const EPISODE = `select e.run_id as "runId", e.episode_id as "episodeId", r.batch_id as "batchId", r.task_id as task, e.protocol, e.session, e.reset, e.reward,
    e.policy_version as "policyVersion", e.seq, e.next_step as "nextStep", e.next_try as "nextTry",
     e.idle_seconds as "idleSeconds", e.requested_at is not null as requested, r.status = 'ended' as ended, r.end_reason as "endReason", r.status <> 'queued' as started
  from episodes e join runs r on r.run_id = e.run_id`;

/** Wanted, and without a workflow as far as the rows say. */
const NOT_BEGUN = `r.status = 'queued' and ep.requested_at is not null`;

/** Episodes and their actions. */
export function episodeStore(pool: pg.Pool): Episodes {
  const run = preparedStatements(pool, storeError);
  /** Wholly or not at all, with the errors of single statements. */
  const transaction = async <T>(operation: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      throw error instanceof BenchError ? error : storeError(operation, error);
    }
  };
  const find = async (id: string): Promise<EpisodeRow | null> => {
    const [row] = await run<EpisodeRow>('findEpisode', `${EPISODE} where e.episode_id = $1 or e.run_id = $1`, [id]);
    return row ?? null;
  };
  /** Tasks with agents, by their hashes, whose rows an episode of this process has stored: nothing removes them. */
  const stored = new Set<string>();
  const contentOf = ({ taskHash, agentHash, model }: RunDefinition): string | null =>
    model.config === undefined && model.recording === undefined ? `${taskHash} ${agentHash}` : null;
  const insert = async (
    episode: NewEpisode,
    harnessVersion: string,
    known: { contentIsStored: boolean },
  ): Promise<void> =>
    transaction('createEpisode', async (client) => {
      const {
        run: definition,
        episodeId,
        protocol,
        session,
        reset,
        reward,
        idleSeconds,
        deadlineAt,
        resetMs,
      } = episode;
      const { rows } = await client.query<{ ordinal: string }>(`select nextval('episode_ordinals') as ordinal`);
      const ordinal = Number(rows[0]?.ordinal);
      const whole = { ...definition, attempt: ordinal };
      await insertRuns(drizzle(client), [whole], { ordinal, shard: 0 }, harnessVersion, known);
      await client.query(
        `insert into episodes (run_id, episode_id, protocol, reset, reward, group_key, labels, policy_version, next_step,
           idle_seconds, expires_at, deadline_at, session, reset_ms, max_validations)
         values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7::jsonb, $8, $9, $10::int, now() + make_interval(secs => $10::int), $11, $12, $13, $14)`,
        [
          ...[definition.runId, episodeId, protocol, JSON.stringify(reset), JSON.stringify(reward)],
          ...[reset.group ?? null, JSON.stringify(reset.labels ?? {}), reset.policy_version ?? null],
          ...[(definition.forkedFrom?.step ?? 0) + 1, idleSeconds, deadlineAt, session, resetMs],
          definition.maxValidations ?? null,
        ],
      );
      const { rollout } = episode;
      if (rollout !== undefined)
        await client.query(`insert into rollouts (run_id, capture, sealed) values ($1, $2, $3)`, [
          ...[definition.runId, rollout.capture, rollout.sealed],
        ]);
    });

  return {
    find,

    async openBatch({ batchId, name, spec, seed, concurrency }) {
      const [row] = await run<{ batchId: string; training: boolean }>(
        'openEpisodeBatch',
        `with made as (
           insert into batches (batch_id, project, name, spec, seed, concurrency, training, status, started_at)
           values ($1, $6, $2, $3::jsonb, $4, $5, true, 'running', now())
           on conflict (project, name) do update set concurrency = excluded.concurrency, status = 'running', ended_at = null
             where batches.training
           returning batch_id, training
         )
         select batch_id as "batchId", training from made
         union all select batch_id, training from batches
           where project = $6 and name = $2 and not exists (select from made)`,
        [batchId, name, JSON.stringify(spec), seed, concurrency, DEFAULT_PROJECT],
      );
      if (row === undefined) throw new Error(`batch ${name} was neither made nor found`);
      return row;
    },

    async create(episode, harnessVersion) {
      const { episodeId } = episode;
      const content = contentOf(episode.run);
      const contentIsStored = content !== null && stored.has(content);
      try {
        await insert(episode, harnessVersion, { contentIsStored });
      } catch (error) {
        // Another request of the same id was first.
        const first = await find(episodeId);
        if (first !== null) return { row: first, known: true };
        if (!contentIsStored) throw error;
        // It was, before the database was restored from a backup.
        stored.clear();
        await insert(episode, harnessVersion, { contentIsStored: false });
      }
      if (content !== null) stored.add(content);
      const row = await find(episodeId);
      if (row === null) throw new Error(`episode ${episodeId} was stored, and is not there`);
      return { row, known: false };
    },

    async ofSession(session) {
      const [row] = await run<EpisodeRow>(
        'episodeOfSession',
        `${EPISODE} where e.session = $1 order by r.ordinal desc limit 1`,
        [session],
      );
      return row ?? null;
    },

    async adopt(runId, session) {
      await run(
        'adoptEpisode',
        `update episodes set session = case when run_id = $1 then $2 end where run_id = $1 or session = $2`,
        [runId, session],
      );
    },

    async taken(runId, seq) {
      const [row] = await run<TakenBefore>(
        'takenAction',
        `select action, outcome is not null as settled, delivered_at is not null as delivered, coalesce(printed, '') as printed
         from episode_actions where run_id = $1 and seq = $2`,
        [runId, seq],
      );
      return row ?? null;
    },

    async delivered(runId, seq) {
      await run(
        'deliverAction',
        `update episode_actions set delivered_at = now() where run_id = $1 and seq = $2 and delivered_at is null`,
        [runId, seq],
      );
    },

    async interrupt(runId, seq) {
      await run(
        'interruptAction',
        `update episode_actions set interrupted_at = now() where run_id = $1 and seq = $2 and outcome is null and interrupted_at is null`,
        [runId, seq],
      );
    },

    async want(runId) {
      await run(
        'wantEpisode',
        `update episodes set requested_at = coalesce(requested_at, now()) where run_id = $1 and requested_at is null`,
        [runId],
      );
      const [ticket] = await run<RunTicket>('wantEpisode', `${TICKETS} where r.run_id = $1 and ${NOT_BEGUN}`, [runId]);
      return ticket ?? null;
    },

    async notBegun(seconds) {
      return run<RunTicket>(
        'notBegun',
        `${TICKETS} where ${NOT_BEGUN} and ep.requested_at < now() - make_interval(secs => $1)`,
        [seconds],
      );
    },

    async take({ runId, seq, action, reply, policyVersion }) {
      return transaction('takeAction', async (client): Promise<TakenAction> => {
        const { rows } = await client.query<EpisodeRow>(`${EPISODE} where e.run_id = $1 for update of e`, [runId]);
        const [episode] = rows;
        if (episode === undefined) return { kind: 'not_found' };
        // Before it is compared, too: the same action again is the same one.
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
    },

    async progress(runId, seq) {
      const [row] = await run<ActionProgress>(
        'episodeProgress',
        `select a.seq, a.step, a.try, a.outcome as settled,
           (select jsonb_build_object('step', t.step, 'try', t.try, 'message', t.messages -> -1 ->> 'content')
            from turns t where t.run_id = a.run_id and (t.step, t.try) > (a.step, a.try) and t.messages is not null
            order by t.step, t.try limit 1) as next,
           jsonb_build_object('ended', r.status = 'ended', 'endReason', r.end_reason, 'finalEvaluation', r.final_evaluation,
             'detail', r.detail, 'maxSteps', r.max_steps,
             'validationsLeft', greatest(e.max_validations - ${usedValidations('a.run_id', 'a.step + 1')}, 0)) as run,
           (select jsonb_build_object('action', s.action, 'observation', s.observation, 'exitCode', s.exit_code,
              'timedOut', s.timed_out, 'outputBytes', s.output_bytes)
            from steps s where s.run_id = a.run_id and s.step = a.step) as record,
           ${SHOWN_EVALUATIONS} as evaluations
         from episode_actions a join runs r on r.run_id = a.run_id join episodes e on e.run_id = a.run_id
         where a.run_id = $1 and a.seq = $2`,
        [runId, seq],
      );
      return row ?? null;
    },

    stepReward: stepRewards(pool),

    async settle(runId, outcome, next) {
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
      if (row === undefined)
        throw new Error(`run ${runId}: an outcome of action ${outcome.seq}, which was never taken`);
      return row.outcome;
    },

    async touch(runId) {
      await run(
        'touchEpisode',
        `update episodes set expires_at = now() + make_interval(secs => idle_seconds), detached_at = null where run_id = $1`,
        [runId],
      );
    },

    async expireIn(runId, seconds) {
      await run(
        'expireEpisode',
        `update episodes set expires_at = now() + make_interval(secs => $2) where run_id = $1 and detached_at is null`,
        [runId, seconds],
      );
    },

    async detach(runId, seconds) {
      await run(
        'detachEpisode',
        `update episodes set expires_at = now() + make_interval(secs => $2), detached_at = coalesce(detached_at, now()) where run_id = $1`,
        [runId, seconds],
      );
    },

    async expired() {
      return run<{ runId: string; requested: boolean }>(
        'expiredEpisodes',
        `select r.run_id as "runId", e.requested_at is not null as requested from episodes e join runs r on r.run_id = e.run_id
         where r.status <> 'ended' and e.expires_at < now()`,
        [],
      );
    },

    async open(batchId, except = []) {
      const [row] = await run<{ open: number }>(
        'openEpisodes',
        `select count(*)::int as open from runs r where r.batch_id = $1 and r.status <> 'ended' and r.run_id <> all ($2)
           and not exists (select from rollouts o where o.run_id = r.run_id)`,
        [batchId, except],
      );
      return row?.open ?? 0;
    },
  };
}

/** Of the action's step or of the end after it, on the split that is shown; in the order in which they were made. */
const SHOWN_EVALUATIONS = `(
    select coalesce(jsonb_agg(jsonb_build_object('id', concat_ws('/', v.run_id, v.step, v.kind), 'kind', v.kind, 'status', v.status,
      'valid', v.status = 'ok' and not v.suspect, 'metrics', v.metrics, 'primary', v.primary_score, 'baseline', g.baseline, 'gain', g.gain)
      order by v.number), '[]')
    from evaluations v join task_versions tv on tv.content_hash = r.task_hash
    left join lateral (
      select g.baseline, g.gain from evaluation_gains(array[v.run_id]) g where (g.step, g.number, g.kind) = (v.step, v.number, v.kind)
    ) g on true
    where v.run_id = a.run_id and v.step >= a.step and v.status not in ('pending', 'not_run') and v.kind <> 'baseline'
      and v.split = case when tv.spec -> 'splits' ? 'validation' then 'validation' else 'test' end
  )`;
