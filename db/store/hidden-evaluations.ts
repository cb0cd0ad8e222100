import type { HiddenEvaluation } from '../../domain/ports/record/hidden-evaluations.js';
import type { HiddenEvaluations } from '../../domain/ports/record/hidden-evaluations.js';
import type { EvaluationStatus } from '../../domain/run/run.js';
import { type Statements, storable } from '../statements.js';
import { eventRows, eventsOf } from './events.js';
import { missingRun } from './missing.js';

/** Validation results are shown at once; the test waits until the sandbox has ended. */
export function hiddenEvaluationStore(run: Statements): HiddenEvaluations {
  return {
    async saveShown(record) {
      const [row] = await run<{ status: string }>(
        'saveShown',
        // An evaluation after the run's end, or from an earlier sandbox, changes nothing.
        `with waiting as (
           update evaluations e set submission_sha256 = $4, isolation = $5, from_step = $6, ms = $7
           from runs r
           where e.run_id = $1 and e.step = $2 and e.kind = $3 and e.split = 'test' and e.status = 'pending'
             and e.submission_sha256 is null
             and r.run_id = e.run_id and r.status <> 'ended' and ($8::int is null or $8 >= r.epoch)
           returning e.*
         ), shown_scores as (
           insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, suspect, message,
             submission_sha256, isolation, evaluator_version, contract, ms, from_step, ended_at)
           select w.run_id, w.step, w.kind, o.split, w.number, o.status, o.metrics, o."primary", o.suspect, o.message,
             w.submission_sha256, w.isolation, w.evaluator_version, w.contract, w.ms, w.from_step, now()
           from waiting w, jsonb_to_recordset($9::jsonb) as o(split text, status text, metrics jsonb, "primary" float8,
             suspect boolean, message text)
           on conflict do nothing
         ), imaged as (
           update runs r set evaluator_image_digest = $10, updated_at = now()
           from waiting w where r.run_id = w.run_id and $10::text is not null
         ), shown as (
           update steps s set observation = case
               when s.observation is null or s.observation = '' then $11
               when s.observation like E'%\\n' then s.observation || $11
               else s.observation || E'\\n' || $11
             end
           from waiting w
           where s.run_id = w.run_id and s.step = w.step and w.kind = 'validate' and $11::text <> ''
         ), recorded as (${eventsOf('waiting', '$12')})
         select status from runs where run_id = $1`,
        [
          record.runId,
          record.step,
          record.kind,
          record.submissionSha256,
          record.isolation,
          record.fromStep ?? null,
          record.ms,
          record.epoch ?? null,
          JSON.stringify((record.otherSplits ?? []).map((other) => ({ ...other, message: storable(other.message) }))),
          record.evaluatorImageDigest ?? null,
          storable(record.shown ?? record.message),
          eventRows(record.events ?? []),
        ],
      );
      if (row === undefined) throw missingRun(record.runId);
    },

    async nextHidden(runId) {
      const [row] = await run<HiddenEvaluation>(
        'nextHidden',
        `select e.step, e.kind, e.number, e.submission_sha256 as "submissionSha256", e.from_step as "fromStep", coalesce(shown.suspect, false) as suspect
         from evaluations e join runs r on r.run_id = e.run_id join task_versions v on v.content_hash = r.task_hash
         left join evaluations shown on shown.run_id = e.run_id and shown.step = e.step and shown.kind = e.kind
           and shown.split = 'validation' and shown.status = 'ok'
         where e.run_id = $1 and e.split = 'test' and e.status = 'pending' and e.submission_sha256 is not null
           -- Of a task with one split it is the test of what a tree chose.
           and (shown.run_id is not null or not v.spec -> 'splits' ? 'validation')
         order by e.number limit 1`,
        [runId],
      );
      return row ?? null;
    },

    async finalEvaluation(runId) {
      const [row] = await run<{ status: EvaluationStatus }>(
        'finalEvaluation',
        `select status from evaluations
         where run_id = $1 and split = 'test' and kind in ('submit', 'forced') and status not in ('pending', 'not_run')
         order by number desc limit 1`,
        [runId],
      );
      return row?.status ?? null;
    },
  };
}
