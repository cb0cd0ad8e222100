import { KEPT_LIMITS } from '../../../domain/requests/run-options.js';
import type { RunFiles, RunSetup } from '../../../domain/views/run-head.js';
import { selectKept } from '../../kept-options.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../../store/missing.js';
import { isoTime } from '../summaries.js';

const SAME = 100;

/** What a run was given, as it is stored. */
export async function runSetup(run: Statements, runId: string): Promise<Omit<RunSetup, 'firstPrompt'>> {
  const [row] = await run<Omit<RunSetup, 'firstPrompt'>>(
    'runSetup',
    `select r.run_id as "runId",
       jsonb_build_object('id', r.task_id, 'name', v.name, 'contract', r.contract, 'hash', r.task_hash, 'spec', v.spec) as task,
       jsonb_build_object('name', r.agent_name, 'hash', r.agent_hash, 'config', a.content) as agent,
       jsonb_build_object('name', r.model_name, 'kind', r.model_kind, 'provider', r.provider, 'providerModel', r.provider_model,
         'configHash', r.model_config_hash, 'config', m.content, 'recordingHash', r.recording_hash) as model,
       r.sampling,
       (
         select to_jsonb(limits) from (
           select ${selectKept('r', KEPT_LIMITS)}, r.wall_seconds as "wallSeconds",
             trim_scale(r.cost_limit_usd)::text as "costLimitUsd", r.gpus
         ) limits
       ) as limits,
       r.seed::float8 as seed, r.attempt, r.sample, r.memory, r.image_digest as "imageDigest",
       r.evaluator_image_digest as "evaluatorImageDigest", r.harness_version as "harnessVersion",
       (
         select coalesce(jsonb_agg(same.run_id), '[]') from (
           select o.run_id from runs o
           where o.task_id = r.task_id and o.model_name = r.model_name and o.task_hash = r.task_hash and o.agent_hash = r.agent_hash
             and o.model_config_hash is not distinct from r.model_config_hash and o.sampling = r.sampling and o.sample = r.sample
             and (o.max_steps, o.wall_seconds, o.token_limit, o.memory) = (r.max_steps, r.wall_seconds, r.token_limit, r.memory)
             and o.run_id <> r.run_id
           order by o.created_at desc, o.run_id limit ${SAME}
         ) same
       ) as "sameSetup"
     from runs r
     join task_versions v on v.content_hash = r.task_hash
     join agent_configs a on a.hash = r.agent_hash
     left join model_configs m on m.hash = r.model_config_hash
     where r.run_id = $1`,
    [runId],
  );
  if (row === undefined) throw missingRun(runId);
  return row;
}

type Taken = Omit<RunFiles['submissions'][number], 'files' | 'at'> & { at: Date };

/** What was taken out of a run's workspace; the files themselves lie in the artifact store. */
export async function takenFiles(
  run: Statements,
  runId: string,
): Promise<{ submissions: (Omit<Taken, 'at'> & { at: string })[]; snapshots: RunFiles['snapshots'] }> {
  const [submissions, snapshots] = await Promise.all([
    run<Taken>(
      'takenFiles',
      `select s.step, s.kind, s.sha256, s.missing, s.refused, s.created_at as at, e.primary_score as score
       from submissions s
       left join evaluations e on e.run_id = s.run_id and e.step = s.step and e.kind = s.kind and e.split = 'test' and e.status not in ('pending', 'not_run')
       where s.run_id = $1 order by s.step, s.created_at, s.kind`,
      [runId],
    ),
    run<Omit<RunFiles['snapshots'][number], 'at'> & { at: Date }>(
      'snapshotsOf',
      `select distinct on (s.step) s.step, s.artifact as sha256, s.bytes::float8 as bytes, s.created_at as at,
         coalesce(h.hostname, s.disk_host) as host
       from snapshots s left join hosts h on h.host_id = s.disk_host
       where s.run_id = $1 order by s.step, s.epoch desc`,
      [runId],
    ),
  ]);
  return {
    submissions: submissions.map((row) => ({ ...row, at: isoTime(row.at) })),
    snapshots: snapshots.map((row) => ({ ...row, at: isoTime(row.at) })),
  };
}
