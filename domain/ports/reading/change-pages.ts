import type { EventRow } from '../../views/events.js';
import type { EvaluationDetail } from '../../views/runs.js';

/** Ids of what is other than at some moment. */
export interface Changes {
  /** The database's clock when this was read, for the next question. */
  now: string;
  /** `version`: another text, another row. Empty where `manyRuns` says that there are more than are listed. */
  runs: { runId: string; version: string }[];
  /** Another text, other runs. Null: all are listed. */
  manyRuns: string | null;
  /** Of a watched run: those whose reply or outcome came; `version`: another text, another row, or another state of the run. */
  steps: { step: number; version: string }[];
  evaluations: EvaluationDetail[];
  events: EventRow[];
  /** State of unfinished batches, or of the watched one: another text, other batches. */
  batches: { batchId: string; state: string }[];
}

/** What is watched: one run, one batch, or all. */
export type Watched = { runId: string } | { batchId: string } | Record<never, never>;

/** What changed since a moment of the database's clock. */
export interface ChangePages {
  /** What of the watched is other than then, or came since; `since` is a `now` of before. */
  changedSince(watched: Watched, since: string): Promise<Changes>;
  /** The database's clock, so many seconds ago. */
  clockBefore(seconds: number): Promise<string>;
}
