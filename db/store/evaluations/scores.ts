import { BenchError } from '../../../domain/errors.js';
import type { SavedEvaluation, EarlierScore } from '../../../domain/ports/record/evaluations.js';
import type { EvaluationRecord } from '../../../domain/run/run.js';
import type { Split } from '../../../domain/task/task.js';
import { type Statements, storable } from '../../statements.js';
import { eventsOf, eventRows } from '../events.js';
import { missingRun } from '../missing.js';

export async function evaluationOf(
  run: Statements,
  runId: string,
  step: number,
  kind: EvaluationRecord['kind'],
): Promise<EvaluationRecord | null> {
  const [row] = await run<EvaluationRecord>(
    'evaluation',
    `select e.run_id as "runId", e.step, e.kind, case when e.status in ('pending', 'not_run') then shown.status else e.status end as status,
           e.metrics, e.primary_score as "primary", e.suspect, e.message, e.submission_sha256 as "submissionSha256", e.ms
         from evaluations e
         left join evaluations shown on shown.run_id = e.run_id and shown.step = e.step and shown.kind = e.kind
           and shown.split = 'validation'
         where e.run_id = $1 and e.step = $2 and e.kind = $3 and e.split = 'test'
           and (e.status not in ('pending', 'not_run') or shown.status is not null)`,
    [runId, step, kind],
  );
  return row ?? null;
}

/** An evaluation after the run's end, or from an earlier sandbox, changes nothing. */
const SAVE_EVALUATION = `with saved as (
           insert into evaluations as e (run_id, step, kind, number, status, metrics, primary_score, suspect, message,
             submission_sha256, isolation, evaluator_version, contract, ms, from_step, ended_at)
           select r.run_id, $2::int, $3, $4::int, $5, $6::jsonb, $7::float8, $8::boolean, $9, $10, $11, r.task_hash, r.contract,
             $12::float8, $16::int, now()
           from runs r where r.run_id = $1 and r.status <> 'ended' and ($17::int is null or $17 >= r.epoch)
           on conflict (run_id, step, kind, split) do update set
             status = excluded.status, metrics = excluded.metrics, primary_score = excluded.primary_score,
             suspect = excluded.suspect, message = excluded.message, submission_sha256 = excluded.submission_sha256,
             isolation = excluded.isolation, ms = excluded.ms, from_step = excluded.from_step, ended_at = excluded.ended_at
           where e.status = 'pending'
           returning e.run_id, e.step, e.number, e.submission_sha256, e.isolation, e.evaluator_version, e.contract, e.ms,
             e.from_step, e.kind, e.primary_score, e.suspect,
             e.status = 'ok' and e.kind <> 'baseline' and e.primary_score is not null as scored
         ), others as (
           insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, suspect, message,
             submission_sha256, isolation, evaluator_version, contract, ms, from_step, ended_at)
           select s.run_id, s.step, s.kind, o.split, s.number, o.status, o.metrics, o."primary", o.suspect, o.message,
             s.submission_sha256, s.isolation, s.evaluator_version, s.contract, s.ms, s.from_step, now()
           from saved s, jsonb_to_recordset($13::jsonb) as o(split text, status text, metrics jsonb, "primary" float8,
             suspect boolean, message text)
           on conflict do nothing
         ), baseline as (
           -- The baseline of a task that states none: set by the first run that submits the starter.
           -- Later ones tell how far its scores lie apart.
           insert into baselines as b (content_hash, value, standard_error, runs)
           select r.task_hash, saved.primary_score, 0, 1
           from saved join runs r on r.run_id = saved.run_id
           where saved.scored and saved.kind = 'submit' and not saved.suspect
             and r.model_kind = 'scripted' and r.model_name = 'scripted:baseline' and r.forked_from is null
           on conflict (content_hash) do update set
             runs = b.runs + 1,
             standard_error = (
               select coalesce(stddev_samp(s.score), 0) from (
                 select e.primary_score as score
                 from runs o join evaluations e on e.run_id = o.run_id
                 where o.task_hash = b.content_hash and o.task_id = (select v.task_id from task_versions v where v.content_hash = b.content_hash)
                   and o.model_kind = 'scripted' and o.model_name = 'scripted:baseline'
                   and o.forked_from is null and e.kind = 'submit' and e.split = 'test' and e.status = 'ok' and not e.suspect
                   and e.run_id <> $1
                 union all select excluded.value
               ) s
             )
           where b.runs is not null
         ), starters as (
           insert into starter_submissions (content_hash, sha256)
           select r.task_hash, saved.submission_sha256
           from saved join runs r on r.run_id = saved.run_id
           where saved.scored and saved.kind = 'submit' and saved.submission_sha256 is not null
             and r.model_kind = 'scripted' and r.model_name = 'scripted:baseline' and r.forked_from is null
           on conflict do nothing
         ), imaged as (
           update runs r set evaluator_image_digest = $14
           from saved where r.run_id = saved.run_id and $14::text is not null and not saved.scored
         ), shown as (
           update steps s set observation = case
               when s.observation is null or s.observation = '' then $15
               when s.observation like E'%\\n' then s.observation || $15
               else s.observation || E'\\n' || $15
             end
           from saved
           where s.run_id = saved.run_id and s.step = saved.step and saved.kind = 'validate' and $15::text <> ''
         ), scored as (
           update runs r set
             final_score = case when saved.kind in ('submit', 'forced') then saved.primary_score else r.final_score end,
             evaluator_image_digest = coalesce($14, r.evaluator_image_digest),
             updated_at = now()
           from saved
           where r.run_id = saved.run_id and saved.scored
         ), recorded as (${eventsOf('saved', '$18')})
         select status from runs where run_id = $1`;

const evaluationColumns = (record: SavedEvaluation): unknown[] => [
  record.runId,
  record.step,
  record.kind,
  record.evaluationNumber,
  record.status,
  record.metrics === null ? null : JSON.stringify(record.metrics),
  finite(record.primary),
  record.suspect,
  storable(record.message),
  record.submissionSha256,
  record.isolation,
  record.ms,
  JSON.stringify(
    (record.otherSplits ?? []).map((other) => ({
      ...other,
      primary: finite(other.primary),
      message: storable(other.message),
    })),
  ),
  record.evaluatorImageDigest ?? null,
  storable(record.shown ?? record.message),
  record.fromStep ?? null,
  record.epoch ?? null,
  eventRows(record.events ?? []),
];

export async function saveEvaluation(run: Statements, record: SavedEvaluation): Promise<void> {
  const [row] = await run<{ status: string }>('saveEvaluation', SAVE_EVALUATION, evaluationColumns(record)).catch(
    (error: unknown) => {
      if (error instanceof Error && 'constraint' in error && error.constraint === 'evaluations_number_unique')
        throw new BenchError(
          'failed',
          `run ${record.runId}: evaluation number ${record.evaluationNumber} belongs to another evaluation`,
        );
      throw error;
    },
  );
  if (row === undefined) throw missingRun(record.runId);
}

/** JSON has no NaN; a non-finite score counts as none. */
const finite = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null);

export async function earlierScore(
  run: Statements,
  runId: string,
  submissionSha256: string,
  split: Split,
): Promise<EarlierScore | null> {
  const [row] = await run<EarlierScore>(
    'earlierScore',
    `select step, status, metrics, message from evaluations
         where run_id = $1 and submission_sha256 = $2 and split = $3 and status in ('ok', 'rejected')
         order by number limit 1`,
    [runId, submissionSha256, split],
  );
  return row ?? null;
}
