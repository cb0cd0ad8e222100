import { RUN_STATUSES } from '../../../domain/run/outcomes.js';
import type { RunOrder, RunPageRequest } from '../../../domain/requests/run-filter.js';
import type { RunPage, RunRow } from '../../../domain/views/run-page.js';
import type { Statements } from '../../statements.js';
import { runSummary, type RunSummaryRow, summaryOfRun } from '../summaries.js';
import { cursorOf, placeOf } from './cursor.js';
import { allOf, RUN_RELATIONS, RUN_SECONDS, RUN_TOKENS, runConditions, VERSIONS } from './run-conditions.js';

/** SQL of what runs are ordered by, and its type. */
const ORDERS: Readonly<Record<RunOrder, readonly [sql: string, type: string]>> = {
  createdAt: ['r.created_at', 'timestamptz'],
  startedAt: ['r.started_at', 'timestamptz'],
  endedAt: ['r.ended_at', 'timestamptz'],
  updatedAt: ['r.updated_at', 'timestamptz'],
  model: ['r.model_name', 'text'],
  task: ['r.task_id', 'text'],
  status: [`array_position('{${RUN_STATUSES.join(',')}}'::text[], r.status)`, 'int'],
  attempt: ['r.attempt', 'int'],
  steps: ['r.step', 'int'],
  cost: ['r.cost_usd', 'numeric'],
  tokens: [RUN_TOKENS, 'bigint'],
  duration: [RUN_SECONDS, 'numeric'],
  bestScore: ['r.best_score', 'float8'],
  finalScore: ['r.final_score', 'float8'],
};

type Row = RunSummaryRow & Omit<RunRow, keyof RunSummaryRow | 'exitStatus' | 'ending'>;

const FURTHER = `b.name as "batchName", r.agent_name as agent,
  (select x.outcome from run_exits x where x.run_id = r.run_id) as outcome,
  r.input_tokens::float8 as "inputTokens", r.output_tokens::float8 as "outputTokens",
  (${RUN_SECONDS} * 1000)::float8 as "durationMs",
  (select base.value from baselines base where base.content_hash = r.task_hash) as baseline,
  (select later.run_id from runs later where later.replaces = r.run_id) as "replacedBy"`;

const runRowOf = (row: Row): RunRow => summaryOfRun(row);

/** SQL for RunRows; `from runs r` is followed by what is given. */
const runRows = (further = ''): string =>
  `${runSummary(`${FURTHER}${further === '' ? '' : `, ${further}`}`)} join batches b on b.batch_id = r.batch_id`;

/** A page of filtered runs. It starts after a run, not an offset, so new runs shift nothing. */
export async function runPage(run: Statements, { sort, after, limit, ...filter }: RunPageRequest): Promise<RunPage> {
  const down = sort.startsWith('-');
  const [order, type] = ORDERS[sort.replace(/^-/, '') as RunOrder];
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [...runConditions(filter, values).values()];
  if (after !== undefined) {
    const [, value, id] = placeOf(after, sort, 3);
    const than = down ? '<' : '>';
    const [last, beyond] = [`${put(value)}::text::${type}`, `r.run_id ${than} ${put(id)}::text`];
    conditions.push(
      value === null
        ? `(${last} is null and ${order} is null and ${beyond})`
        : `(${order} ${than} ${last} or (${order} = ${last} and ${beyond}) or ${order} is null)`,
    );
  }
  const direction = down ? 'desc' : 'asc';
  const rows = await run<Row & { place: string | null }>(
    'runPage',
    `with ${VERSIONS}, page as materialized (
       select r.run_id, row_number() over (order by ${order} ${direction} nulls last, r.run_id ${direction}) as place,
         (${order})::text as value
       from ${RUN_RELATIONS} where ${allOf(conditions)}
       order by 2 limit ${put(limit + 1)}
     )
     ${runRows('page.value as place')} join page on page.run_id = r.run_id order by page.place`,
    values,
  );
  const runs = rows.slice(0, limit);
  const last = runs.at(-1);
  return {
    runs: runs.map(({ place: _place, ...row }) => runRowOf(row)),
    next: rows.length > limit && last !== undefined ? cursorOf([sort, last.place, last.runId]) : null,
  };
}

/** These runs, in no order. */
export async function runRowsOf(run: Statements, runIds: readonly string[]): Promise<RunRow[]> {
  const rows = await run<Row>('runRowsOf', `${runRows()} where r.run_id = any ($1::text[])`, [runIds]);
  return rows.map(runRowOf);
}
