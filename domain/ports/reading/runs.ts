import type { RunDetail, RunFilter, RunSummary } from '../../views/runs.js';

export interface RunReads {
  /** By id, or an unambiguous beginning or end of one. */
  findRun(ref: string): Promise<RunSummary>;
  /** Newest first. */
  listRuns(filter?: RunFilter): Promise<RunSummary[]>;
  showRun(runId: string): Promise<RunDetail>;
  /** Models and tasks that have runs, by name. */
  playedNames(): Promise<{ models: string[]; tasks: string[]; agents: string[] }>;
  /** Of one batch, or of all. */
  runIds(batchId?: string): Promise<string[]>;
}
