import type { EventKind } from '../../run/event-kinds.js';

/** One entry of a run's log of faults, retries, recoveries. `key` makes a repeated report one row. */
export interface RunEvent {
  kind: EventKind;
  key: string;
  detail: string;
}

/** The log of faults, retries and recoveries. */
export interface EventLog {
  /** An event that comes with no other row, of a run, a batch or neither. */
  addEvent(event: RunEvent & { runId: string | null; batchId: string | null }): Promise<void>;
}
