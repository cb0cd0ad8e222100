import type pg from 'pg';
import { LINE_LISTS, type LineList } from '../../domain/exchange/line-lists.js';
import { errorFields, queryError } from '../database-error.js';

/** The keys are the tables' columns. */
export const LINE_VERSION = 1;

/** All rows of a run except its lists, exact to the digit; `r` is the run's row. */
export const HEAD = `jsonb_build_object(
  'format', 'bench-run', 'version', ${LINE_VERSION},
  'batch', (select to_jsonb(b) from batches b where b.batch_id = r.batch_id),
  'task', (select to_jsonb(v) from task_versions v where v.content_hash = r.task_hash),
  'baseline', (select to_jsonb(v) from baselines v where v.content_hash = r.task_hash),
  'agent', (select to_jsonb(a) from agent_configs a where a.hash = r.agent_hash),
  'model', (select to_jsonb(m) from model_configs m where m.hash = r.model_config_hash),
  'recording', (select to_jsonb(p) from recordings p where p.hash = r.recording_hash),
  'import', (select to_jsonb(i) from imports i where i.run_id = r.run_id and i.format <> 'jsonl'),
  'run', to_jsonb(r)
)`;

export const LISTS = {
  steps: { table: 'steps', row: 'to_jsonb(t)', order: 't.step' },
  calls: { table: 'model_calls', row: 'to_jsonb(t)', order: 't.step, t.try, t.attempt' },
  evaluations: { table: 'evaluations', row: 'to_jsonb(t)', order: 't.number, t.step, t.kind, t.split' },
  memories: { table: 'memories', row: 'to_jsonb(t)', order: 't.step, t.ordinal' },
  images: { table: 'images', row: 'to_jsonb(t)', order: 't.step, t.image_id' },
  events: { table: 'events', row: `to_jsonb(t) - 'event_id'`, order: 't.at, t.key' },
} as const satisfies Record<LineList, { table: string; row: string; order: string }>;

const ROWS_AT_ONCE = 50;

/** JSON without a newline, in pieces, from one snapshot. Empty: no such run. */
export async function* runLine(pool: pg.Pool, runId: string): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ head: string }>(
      `select ${HEAD}::text as head from runs r where r.run_id = $1`,
      [runId],
    );
    const [found] = rows;
    if (found === undefined) return;
    yield found.head.slice(0, -1);
    for (const key of LINE_LISTS) {
      const { table, row, order } = LISTS[key];
      yield `, "${key}": [`;
      await client.query(
        `declare entries no scroll cursor for select (${row})::text as entry from ${table} t where t.run_id = ${client.escapeLiteral(runId)} order by ${order}`,
      );
      let first = true;
      for (;;) {
        const { rows: entries } = await client.query<{ entry: string }>(`fetch ${ROWS_AT_ONCE} from entries`);
        for (const { entry } of entries) {
          yield first ? entry : `, ${entry}`;
          first = false;
        }
        if (entries.length < ROWS_AT_ONCE) break;
      }
      await client.query('close entries');
      yield ']';
    }
    yield '}';
  } catch (error) {
    throw errorFields(error).code === undefined ? error : queryError(`exporting run ${runId}`, error);
  } finally {
    // Read-only, so roll back, also when the reader stops early.
    await client.query('rollback').catch(() => undefined);
    client.release();
  }
}
