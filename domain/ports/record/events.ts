import type { EventKind } from '../../run/event-kinds.js';

/** A fault, retry or recovery in a run's log. `key` makes a repeated report one row. */
export interface RunEvent {
  kind: EventKind;
  key: string;
  detail: string;
}

export interface EventLog {
  /** An event without another row, of a run, a batch or neither. */
  addEvent(event: RunEvent & { runId: string | null; batchId: string | null }): Promise<void>;
}
