import type { EventRow } from '../../views/events.js';
import type { EvaluationDetail } from '../../views/runs.js';

export interface Changes {
  /** The database's clock, for the next call's `since`. */
  now: string;
  /** A changed `version` means a changed row. Empty when `manyRuns` is set: too many to list. */
  runs: { runId: string; version: string }[];
  /** Changes with the runs. Null: all are listed. */
  manyRuns: string | null;
  /** Of a watched run: steps with a new reply or outcome, or after a change of the run's state. */
  steps: { step: number; version: string }[];
  evaluations: EvaluationDetail[];
  events: EventRow[];
  /** Unfinished batches, or the watched one. */
  batches: { batchId: string; state: string }[];
}

/** One run, one batch, or all. */
export type Watched = { runId: string } | { batchId: string } | Record<never, never>;

export interface ChangePages {
  /** `since`: an earlier `now`. */
  changedSince(watched: Watched, since: string): Promise<Changes>;
  /** The database's clock, so many seconds ago. */
  clockBefore(seconds: number): Promise<string>;
}
