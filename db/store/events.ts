import type { RunStore } from '../../domain/ports/run-store.js';
import { type Statements, storable } from '../statements.js';

/** The log of faults and recoveries. */
export function eventStore(run: Statements): Pick<RunStore, 'addEvent'> {
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
