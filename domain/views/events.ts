export interface EventRow {
  /** Grows with every event: a follower asks for those after the last that it saw. */
  eventId: number;
  runId: string | null;
  batchId: string | null;
  kind: string;
  key: string;
  detail: string;
  at: string;
}

export interface EventFilter {
  runId?: string | undefined;
  batchId?: string | undefined;
  afterEventId?: number | undefined;
  kinds?: readonly string[] | undefined;
  /** The newest so many; default 1000. */
  limit?: number | undefined;
}
