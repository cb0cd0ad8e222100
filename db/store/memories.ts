import type { MemoryLog } from '../../domain/ports/record/memories.js';
import { MEMORY_RECORDS } from '../../domain/run/limits.js';
import type { Statements } from '../statements.js';
import { missingRun } from './missing.js';

/**
 * What run r may read: records of its task by the same model's runs before it, without imports.
 * Others' records would make scores depend on which models ran before. A fork finds its original's
 * records in its snapshot.
 */
const READABLE = `from memories m join runs w on w.run_id = m.run_id
  where m.task_id = r.task_id and w.model_name = r.model_name and w.origin <> 'import' and m.run_id <> r.run_id
    and m.run_id is distinct from r.forked_from`;

/** saveCommand writes them, with the outcome of the command that made them. */
export function memoryStore(run: Statements): MemoryLog {
  return {
    async beginMemory(runId) {
      const [begun] = await run<{ memory: boolean; records: number | null }>(
        'beginMemory',
        `with begun as (
           update runs r set
             started_at = coalesce(r.started_at, now()),
             memory_records = coalesce(r.memory_records,
               (select least(count(*), $2)::int ${READABLE} and m.created_at < coalesce(r.started_at, now())))
           where r.run_id = $1 and r.memory
           returning r.memory_records
         )
         select memory, (select memory_records from begun) as records from runs where run_id = $1`,
        [runId, MEMORY_RECORDS],
      );
      if (begun === undefined) throw missingRun(runId);
      if (!begun.memory) return null;
      const newest = await run<{ text: string }>(
        'beginMemory',
        `select m.text from runs r cross join lateral (select m.* ${READABLE} and m.created_at < r.started_at) m
         where r.run_id = $1
         order by m.created_at desc, m.run_id desc, m.step desc, m.ordinal desc limit $2`,
        [runId, begun.records],
      );
      return newest.map(({ text }) => text).reverse();
    },

    async memoryRecords(runId) {
      const [row] = await run<{ records: number | null }>(
        'memoryRecords',
        'select memory_records as records from runs where run_id = $1',
        [runId],
      );
      if (row === undefined) throw missingRun(runId);
      return row.records;
    },
  };
}
