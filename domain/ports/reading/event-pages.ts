import type { EventRow } from '../../views/events.js';

export interface EventPageRequest {
  runId?: string | undefined;
  batchId?: string | undefined;
  kind?: readonly string[] | undefined;
  after?: string | undefined;
  limit: number;
}

export interface EventPages {
  /** Of a run's event, else a batch's, else of neither. */
  eventDetail(of: { runId: string | null; batchId: string | null; key: string }): Promise<string | null>;
  eventPage(request: EventPageRequest): Promise<{ events: EventRow[]; next: string | null }>;
}
