import type { RunEvent } from '../../domain/ports/record/events.js';
import type { EventLog } from '../../domain/ports/record/events.js';
import { type Statements, storable } from '../statements.js';

/** CTE that inserts events (`parameter`, see eventRows) of the run that `from` returned, if any. */
export const eventsOf = (from: string, parameter: string): string =>
  `insert into events (run_id, batch_id, kind, key, detail)
   select r.run_id, r.batch_id, e.kind, e.key, e.detail
   from ${from} join runs r on r.run_id = ${from}.run_id,
     jsonb_to_recordset(${parameter}::jsonb) as e(kind text, key text, detail text)
   on conflict do nothing`;

export const eventRows = (events: readonly RunEvent[]): string =>
  JSON.stringify(
    events.map(({ kind, key, detail }) => ({ kind: storable(kind), key: storable(key), detail: storable(detail) })),
  );

export function eventStore(run: Statements): EventLog {
  return {
    async addEvent({ runId, batchId, kind, key, detail }) {
      await run(
        'addEvent',
        `insert into events (run_id, batch_id, kind, key, detail)
         values ($1, coalesce($2, (select batch_id from runs where run_id = $1)), $3, $4, $5)
         on conflict do nothing`,
        [runId, batchId, storable(kind), storable(key), storable(detail)],
      );
    },
  };
}
