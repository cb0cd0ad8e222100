import type { EventFilter, EventRow } from '../../views/events.js';

export interface EventReads {
  /** Oldest first; a batch's include those of its runs. */
  events(filter: EventFilter): Promise<EventRow[]>;
}
