import type { EventRow } from '../../views/events.js';

export interface EventPageRequest {
  runId?: string | undefined;
  batchId?: string | undefined;
  kind?: readonly string[] | undefined;
  after?: string | undefined;
  limit: number;
}

/** Pages of events. */
export interface EventPages {
  /** Of the event of this key, of a run, else of a batch, else of neither; null: there is none. */
  eventDetail(of: { runId: string | null; batchId: string | null; key: string }): Promise<string | null>;
  eventPage(request: EventPageRequest): Promise<{ events: EventRow[]; next: string | null }>;
}
