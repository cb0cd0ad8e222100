import type { EpisodeRow, Episodes } from '../../../domain/ports/episodes.js';
import { DEFAULT_PROJECT } from '../../../domain/home/project.js';
import type { Statements } from '../../statements.js';

export const EPISODE = `select e.run_id as "runId", e.episode_id as "episodeId", r.batch_id as "batchId", r.task_id as task, e.protocol, e.session, e.reset, e.reward,
    e.policy_version as "policyVersion", e.seq, e.next_step as "nextStep", e.next_try as "nextTry",
     e.idle_seconds as "idleSeconds", e.requested_at is not null as requested, r.status = 'ended' as ended, r.end_reason as "endReason", r.status <> 'queued' as started
  from episodes e join runs r on r.run_id = e.run_id`;

export async function findEpisode(run: Statements, id: string): Promise<EpisodeRow | null> {
  const [row] = await run<EpisodeRow>('findEpisode', `${EPISODE} where e.episode_id = $1 or e.run_id = $1`, [id]);
  return row ?? null;
}

export async function episodeOfSession(run: Statements, session: string): Promise<EpisodeRow | null> {
  const [row] = await run<EpisodeRow>(
    'episodeOfSession',
    `${EPISODE} where e.session = $1 order by r.ordinal desc limit 1`,
    [session],
  );
  return row ?? null;
}

export async function adoptEpisode(run: Statements, runId: string, session: string): Promise<void> {
  await run(
    'adoptEpisode',
    `update episodes set session = case when run_id = $1 then $2 end where run_id = $1 or session = $2`,
    [runId, session],
  );
}

export async function openEpisodeBatch(
  run: Statements,
  { batchId, name, spec, seed, concurrency }: Parameters<Episodes['openBatch']>[0],
): Promise<{ batchId: string; training: boolean }> {
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
}
