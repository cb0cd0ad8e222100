import type { Statements } from '../../statements.js';

export async function touchEpisode(run: Statements, runId: string): Promise<void> {
  await run(
    'touchEpisode',
    `update episodes set expires_at = now() + make_interval(secs => idle_seconds), detached_at = null where run_id = $1`,
    [runId],
  );
}

export async function expireEpisode(run: Statements, runId: string, seconds: number): Promise<void> {
  await run(
    'expireEpisode',
    `update episodes set expires_at = now() + make_interval(secs => $2) where run_id = $1 and detached_at is null`,
    [runId, seconds],
  );
}

export async function detachEpisode(run: Statements, runId: string, seconds: number): Promise<void> {
  await run(
    'detachEpisode',
    `update episodes set expires_at = now() + make_interval(secs => $2), detached_at = coalesce(detached_at, now()) where run_id = $1`,
    [runId, seconds],
  );
}

export async function expiredEpisodes(run: Statements): Promise<{ runId: string; requested: boolean }[]> {
  return run<{ runId: string; requested: boolean }>(
    'expiredEpisodes',
    `select r.run_id as "runId", e.requested_at is not null as requested from episodes e join runs r on r.run_id = e.run_id
         where r.status <> 'ended' and e.expires_at < now()`,
    [],
  );
}

export async function openEpisodes(run: Statements, batchId: string, except: readonly string[] = []): Promise<number> {
  const [row] = await run<{ open: number }>(
    'openEpisodes',
    `select count(*)::int as open from runs r where r.batch_id = $1 and r.status <> 'ended' and r.run_id <> all ($2)
           and not exists (select from rollouts o where o.run_id = r.run_id)`,
    [batchId, except],
  );
  return row?.open ?? 0;
}
