/** For docs/reference/queries.md and the page. Imports nothing. */
export interface ExampleQuery {
  title: string;
  sql: string;
}

export const EXAMPLE_QUERIES: readonly ExampleQuery[] = [
  {
    title: 'How did the runs of each model end?',
    sql: `select model, label, count(*) as runs from run_exits, unnest(labels) label group by model, label order by model, runs desc, label`,
  },
  {
    title: 'How many have a score, and how many ended properly?',
    sql: `select model, count(*) as runs, count(*) filter (where outcome = 'complete') as complete,
  count(*) filter (where outcome = 'incomplete') as incomplete, count(*) filter (where outcome = 'failed') as failed
from run_exits group by model order by model`,
  },
  {
    title: "What is each model's best score at each task, beside the starter's?",
    sql: `select task, model, best_attempt, baseline, best_run from overall_leaderboard_entries order by task, model`,
  },
  {
    title: "How did a model's scores develop within its runs?",
    sql: `select r.model_name as model, r.attempt, e.step, e.kind, e.primary_score as score
from evaluations e join runs r on r.run_id = e.run_id
where r.task_id = 'guessing' and e.split = 'test' and e.status = 'ok' order by 1, 2, e.number`,
  },
  {
    title: 'How many steps does it take to the first valid score?',
    sql: `select model, task, percentile_cont(0.5) within group (order by first) as median_step, count(*) as runs
from (
  select s.model, s.task, s.run_id, min(e.step) as first
  from run_scores s join evaluations e on e.run_id = s.run_id and e.split = 'test' and e.status = 'ok'
  group by s.model, s.task, s.run_id
) found group by model, task order by model, task`,
  },
  {
    title: 'What do the models spend their steps on?',
    sql: `select model, strict_category as category, count(*) as steps,
  round(100.0 * count(*) / sum(count(*)) over (partition by model), 1) as percent
from step_actions group by model, strict_category order by model, steps desc, category`,
  },
  {
    title: 'What would the runs cost by one list of prices?',
    sql: `select model, runs, round(mean_list_usd, 4) as usd_per_run, round(mean_recorded_usd, 4) as recorded_per_run
from model_costs('mlgym') order by model`,
  },
  {
    title: 'Which runs are flagged, and why?',
    sql: `select r.model_name as model, r.task_id as task, r.attempt, m.rule, m.step, m.detail
from integrity_flags m join runs r on r.run_id = m.run_id order by 1, 2, 3, 4`,
  },
  {
    title: 'Which runs tried to cheat?',
    sql: `select r.model_name as model, r.task_id as task, r.run_id, m.step, m.detail
from integrity_flags m join runs r on r.run_id = m.run_id where m.rule = 'tried' order by 1, 2, 3`,
  },
  {
    title: 'Which commands took longest?',
    sql: `select r.model_name as model, s.step, round(s.command_ms) as ms, left(s.action, 60) as action
from steps s join runs r on r.run_id = s.run_id where s.command_ms is not null order by s.command_ms desc limit 2`,
  },
  {
    title: 'What went wrong with the infrastructure?',
    sql: `select kind, count(*) as events, count(distinct run_id) as runs from events group by kind order by events desc, kind`,
  },
];
