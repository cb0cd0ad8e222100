import { BenchError } from '../../domain/errors.js';
import type { RunStore } from '../../domain/ports/run-store.js';
import type { EvaluationRecord } from '../../domain/run.js';
import { type Statements, storable } from '../statements.js';
import { missingRun } from './missing.js';
import { untilSettled } from './until-settled.js';

type Evaluations = Pick<RunStore, 'evaluationNumber' | 'evaluation' | 'saveEvaluation'>;

/** JSON has no NaN; a score that is no number is no score. */
const finite = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null);

/** What submissions were worth. */
export function evaluationStore(run: Statements): Evaluations {
  return {
    async evaluationNumber(runId, step, kind) {
      return untilSettled(`evaluationNumber of run ${runId}, step ${step}`, async () => {
        const [row] = await run<{ number: number | null; known: boolean }>(
          'evaluationNumber',
          `with known as (
             select number from evaluations where run_id = $1 and step = $2 and kind = $3 and split = 'test'
           ), added as (
             insert into evaluations (run_id, step, kind, number, evaluator_version, contract)
             select r.run_id, $2::int, $3,
               coalesce((select max(e.number) from evaluations e where e.run_id = $1 and e.split = 'test'), 0) + 1,
               r.task_hash, r.contract
             from runs r where r.run_id = $1 and not exists (select from known)
             on conflict do nothing
             returning number
           )
           select coalesce((select number from known), (select number from added)) as number,
             exists (select from runs where run_id = $1) as known`,
          [runId, step, kind],
        );
        if (row?.known === false) throw missingRun(runId);
        return row?.number ?? undefined;
      });
    },

    async evaluation(runId, step, kind) {
      const [row] = await run<EvaluationRecord>(
        'evaluation',
        `select run_id as "runId", step, kind, status, metrics, primary_score as "primary", suspect, message,
           submission_sha256 as "submissionSha256", ms
         from evaluations
         where run_id = $1 and step = $2 and kind = $3 and split = 'test' and status <> 'pending'`,
        [runId, step, kind],
      );
      return row ?? null;
    },

    async saveEvaluation(record) {
      const [row] = await run<{ status: string }>(
        'saveEvaluation',
        // An evaluation that comes after the run's end changes nothing: scores of ended runs are final.
        `with saved as (
           insert into evaluations as e (run_id, step, kind, number, status, metrics, primary_score, suspect, message,
             submission_sha256, isolation, evaluator_version, contract, ms, ended_at)
           select r.run_id, $2::int, $3, $4::int, $5, $6::jsonb, $7::float8, $8::boolean, $9, $10, $11, r.task_hash, r.contract,
             $12::float8, now()
           from runs r where r.run_id = $1 and r.status <> 'ended'
           on conflict (run_id, step, kind, split) do update set
             status = excluded.status, metrics = excluded.metrics, primary_score = excluded.primary_score,
             suspect = excluded.suspect, message = excluded.message, submission_sha256 = excluded.submission_sha256,
             isolation = excluded.isolation, ms = excluded.ms, ended_at = excluded.ended_at
           where e.status = 'pending'
           returning e.run_id, e.step, e.number, e.submission_sha256, e.isolation, e.evaluator_version, e.contract, e.ms,
             e.kind, e.primary_score,
             e.status = 'ok' and e.kind <> 'baseline' and e.primary_score is not null as scored
         ), others as (
           insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, suspect, message,
             submission_sha256, isolation, evaluator_version, contract, ms, ended_at)
           select s.run_id, s.step, s.kind, o.split, s.number, o.status, o.metrics, o."primary", o.suspect, o.message,
             s.submission_sha256, s.isolation, s.evaluator_version, s.contract, s.ms, now()
           from saved s, jsonb_to_recordset($13::jsonb) as o(split text, status text, metrics jsonb, "primary" float8,
             suspect boolean, message text)
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
             best_score = case
               when r.best_score is null then saved.primary_score
               when v.direction = 'maximize' then greatest(r.best_score, saved.primary_score)
               else least(r.best_score, saved.primary_score)
             end,
             final_score = case when saved.kind in ('submit', 'forced') then saved.primary_score else r.final_score end,
             evaluator_image_digest = coalesce($14, r.evaluator_image_digest),
             updated_at = now()
           from saved, task_versions v
           where r.run_id = saved.run_id and saved.scored and v.content_hash = r.task_hash
         )
         select status from runs where run_id = $1`,
        [
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
        ],
      ).catch((error: unknown) => {
        if (error instanceof Error && 'constraint' in error && error.constraint === 'evaluations_number_unique')
          throw new BenchError(
            'failed',
            `run ${record.runId}: evaluation number ${record.evaluationNumber} belongs to another evaluation`,
          );
        throw error;
      });
      if (row === undefined) throw missingRun(record.runId);
    },
  };
}
