import { BenchError } from '../../../domain/errors.js';
import type { Trend } from '../../../domain/views/trend.js';
import type { Statements } from '../../statements.js';
import { isoTime } from '../summaries.js';

type Row = Omit<Trend['points'][number], 'at'> & Pick<Trend, 'direction' | 'baseline'> & { at: Date };

const MOST = 500;

/** Batches in which a model played a task, over time. BenchError (not_found): no run counts. */
export async function trendOf(run: Statements, { task, model }: { task: string; model: string }): Promise<Trend> {
  const rows = await run<Row>(
    'trendOf',
    `select * from (
       select s.batch_id as "batchId", b.name, b.created_at as at, s.contract, count(*)::int as runs, count(s.best_attempt)::int as scored,
         min(s.best_attempt) as low, percentile_cont(0.5) within group (order by s.best_attempt) as median, max(s.best_attempt) as high,
         max(s.direction) as direction, max(base.value) as baseline
       from score_runs(false) s join batches b on b.batch_id = s.batch_id left join baselines base on base.content_hash = s.task_hash
       where s.counted and s.task = $1 and s.model = $2 and b.parent_batch is null
       group by 1, 2, 3, 4 order by b.created_at desc limit ${MOST}
     ) latest order by at, contract`,
    [task, model],
  );
  const last = rows.at(-1);
  if (last === undefined)
    throw new BenchError('not_found', `no run of ${model} at ${task} counts`, {
      remedy: '`bench runs` lists what was played.',
    });
  return {
    ...{ direction: last.direction, baseline: last.baseline },
    points: rows.map(({ direction: _d, baseline: _b, at, ...point }) => ({ ...point, at: isoTime(at) })),
  };
}
