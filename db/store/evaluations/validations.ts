import type { Statements } from '../../statements.js';

/** How many validations a run has used before a step: SQL expressions. */
export const usedValidations = (runId: string, step: string): string => `(
    select count(*)::int from steps u where u.run_id = ${runId} and u.step < ${step} and u.requested = 'validate'
      and not exists (select from evaluations f where f.run_id = u.run_id and f.step = u.step and f.kind = 'validate'
        and f.status = 'evaluator_error')
  )`;

export async function validationsBefore(run: Statements, runId: string, step: number): Promise<number> {
  const [row] = await run<{ used: number }>('validationsBefore', `select ${usedValidations('$1', '$2::int')} as used`, [
    runId,
    step,
  ]);
  return row?.used ?? 0;
}

export async function validSubmission(
  run: Statements,
  runId: string,
  which: 'last' | 'best',
): Promise<{ step: number; submissionSha256: string } | null> {
  const [row] = await run<{ step: number; submissionSha256: string }>(
    'validSubmission',
    `select e.step, e.submission_sha256 as "submissionSha256"
         from evaluations e
         join runs r on r.run_id = e.run_id
         join task_versions v on v.content_hash = r.task_hash
         left join evaluations shown on shown.run_id = e.run_id and shown.step = e.step and shown.kind = e.kind
           and shown.split = 'validation' and shown.status = 'ok'
         where e.run_id = $1 and e.kind = 'validate' and e.split = 'test' and not e.suspect
           and e.submission_sha256 is not null
           -- While its test waits, it is valid by what was shown.
           and case e.status
             when 'pending' then shown.primary_score is not null and not shown.suspect
             else e.status = 'ok' and e.primary_score is not null
           end
         order by
           case when $2 = 'best' then
             coalesce(shown.primary_score, e.primary_score) * case v.direction when 'maximize' then -1 else 1 end
           end,
           e.number desc
         limit 1`,
    [runId, which],
  );
  return row ?? null;
}
