import type { ActionProgress } from '../../../domain/episodes/action-outcome.js';
import type { Statements } from '../../statements.js';
import { usedValidations } from '../evaluations/validations.js';

export async function actionProgress(run: Statements, runId: string, seq: number): Promise<ActionProgress | null> {
  const [row] = await run<ActionProgress>(
    'episodeProgress',
    `select a.seq, a.step, a.try, a.outcome as settled,
           (select jsonb_build_object('step', t.step, 'try', t.try, 'message', t.messages -> -1 ->> 'content')
            from turns t where t.run_id = a.run_id and (t.step, t.try) > (a.step, a.try) and t.messages is not null
            order by t.step, t.try limit 1) as next,
           jsonb_build_object('ended', r.status = 'ended', 'endReason', r.end_reason, 'finalEvaluation', r.final_evaluation,
             'detail', r.detail, 'maxSteps', r.max_steps,
             'validationsLeft', greatest(e.max_validations - ${usedValidations('a.run_id', 'a.step + 1')}, 0)) as run,
           (select jsonb_build_object('action', s.action, 'observation', s.observation, 'exitCode', s.exit_code,
              'timedOut', s.timed_out, 'outputBytes', s.output_bytes)
            from steps s where s.run_id = a.run_id and s.step = a.step) as record,
           ${SHOWN_EVALUATIONS} as evaluations
         from episode_actions a join runs r on r.run_id = a.run_id join episodes e on e.run_id = a.run_id
         where a.run_id = $1 and a.seq = $2`,
    [runId, seq],
  );
  return row ?? null;
}

/** Of the action's step or of the end after it, on the shown split, in order. */
const SHOWN_EVALUATIONS = `(
    select coalesce(jsonb_agg(jsonb_build_object('id', concat_ws('/', v.run_id, v.step, v.kind), 'kind', v.kind, 'status', v.status,
      'valid', v.status = 'ok' and not v.suspect, 'metrics', v.metrics, 'primary', v.primary_score, 'baseline', g.baseline, 'gain', g.gain)
      order by v.number), '[]')
    from evaluations v join task_versions tv on tv.content_hash = r.task_hash
    left join lateral (
      select g.baseline, g.gain from evaluation_gains(array[v.run_id]) g where (g.step, g.number, g.kind) = (v.step, v.number, v.kind)
    ) g on true
    where v.run_id = a.run_id and v.step >= a.step and v.status not in ('pending', 'not_run') and v.kind <> 'baseline'
      and v.split = case when tv.spec -> 'splits' ? 'validation' then 'validation' else 'test' end
  )`;
