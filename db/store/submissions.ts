import type { SubmissionLog } from '../../domain/ports/record/submissions.js';
import type { TakenSubmission } from '../../domain/run/run.js';
import { type Statements, storable } from '../statements.js';

type Submissions = SubmissionLog;

/** Columns sha256, missing and refused; a submission sets exactly one. */
export const submissionColumns = (taken: TakenSubmission | null): [string | null, string[] | null, string | null] => [
  taken?.kind === 'files' ? taken.sha256 : null,
  taken?.kind === 'missing' ? taken.paths.map(storable) : null,
  taken?.kind === 'refused' ? storable(taken.reason) : null,
];

export function submissionStore(run: Statements): Submissions {
  return {
    async takenSubmission(runId, step, kind) {
      const [row] = await run<{ sha256: string | null; missing: string[] | null; refused: string | null }>(
        'takenSubmission',
        'select sha256, missing, refused from submissions where run_id = $1 and step = $2 and kind = $3',
        [runId, step, kind],
      );
      if (row === undefined) return null;
      if (row.sha256 !== null) return { kind: 'files', sha256: row.sha256 };
      return row.missing === null
        ? { kind: 'refused', reason: row.refused ?? '' }
        : { kind: 'missing', paths: row.missing };
    },

    async saveTakenSubmission(runId, step, kind, taken, epoch, gone) {
      await run(
        'saveTakenSubmission',
        `insert into submissions (run_id, step, kind, sha256, missing, refused)
         select run_id, $2::int, $3, $4, $5::text[], $6 from runs
         where run_id = $1 and status <> 'ended' and $7 >= epoch
         on conflict (run_id, step, kind) do update
           set sha256 = excluded.sha256, missing = excluded.missing, refused = excluded.refused, created_at = now()
           where submissions.sha256 = $8`,
        [runId, step, kind, ...submissionColumns(taken), epoch, gone ?? null],
      );
    },

    async noteStarter(runId, sha256) {
      await run(
        'noteStarter',
        `insert into starter_submissions (content_hash, sha256) select task_hash, $2 from runs where run_id = $1
         on conflict do nothing`,
        [runId, sha256],
      );
    },
  };
}
