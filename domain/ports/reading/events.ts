import type { EventFilter, EventRow } from '../../views/events.js';

/** Events of runs, batches and hosts. */
export interface EventReads {
  /** Oldest first; for a batch, with those of its runs. */
  events(filter: EventFilter): Promise<EventRow[]>;
}
