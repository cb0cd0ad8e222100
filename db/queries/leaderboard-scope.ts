import type { Statements } from '../statements.js';
import type { choicesOf, Scope } from './leaderboard-choices.js';
import { RANKED_BATCH } from './summaries.js';

export async function scopeOf(run: Statements, choices: ReturnType<typeof choicesOf>): Promise<Scope> {
  const { options, batchId, include, sample, profile } = choices;
  if (batchId !== null) {
    const [batch] = await run<{ name: string | null }>('batchName', 'select name from batches where batch_id = $1', [
      batchId,
    ]);
    return { batchId, batchName: batch?.name ?? null, newest: false };
  }
  if (options.newest !== true) return { batchId: null, batchName: null, newest: false };
  const [found] = await run<{ batchId: string; name: string | null }>(
    'newestScoredBatch',
    // Forks count in no other batch than their own, which is asked for.
    `select b.batch_id as "batchId", b.name from batches b
     where ${RANKED_BATCH} and exists (
       select from score_runs($6) s
       join task_versions v on v.content_hash = s.task_hash
       join versions_under($5) u on u.content_hash = s.task_hash
       where s.batch_id = b.batch_id and s.counted and s.best_attempt is not null and s.forked_from is null
         and (s.model_kind = 'real' or $1) and (s.isolation <> 'import' or $2) and (s.isolation <> 'none' or $3)
         and (s.sample = $4 or v.spec -> 'data' is null)
     )
     order by b.created_at desc, b.batch_id desc limit 1`,
    [
      ...[include.includes('scripted'), include.includes('imported'), include.includes('local')],
      ...[sample, profile, include.includes('suspect')],
    ],
  );
  return { batchId: found?.batchId ?? null, batchName: found?.name ?? null, newest: found !== undefined };
}
