import type { RunPageRequest, RunSelection } from '../../requests/run-filter.js';
import type { Lineage, ModelCalls, RunFiles, RunHead, RunSetup, Waiting } from '../../views/run-head.js';
import type { ActiveRuns, RunFacetCounts, RunPage, RunRow } from '../../views/run-page.js';
import type { EvaluationDetail } from '../../views/runs.js';

export interface LiveOutput {
  step: number;
  tail: string;
  workers: number;
  at: string;
}

interface TakenFiles {
  submissions: Omit<RunFiles['submissions'][number], 'files'>[];
  snapshots: RunFiles['snapshots'];
}

/** Pages of runs, and of one run by parts. */
export interface RunPages {
  runPage(request: RunPageRequest): Promise<RunPage>;
  runFacets(filter: RunSelection): Promise<RunFacetCounts>;
  activeRuns(): Promise<ActiveRuns>;
  runRows(runIds: readonly string[]): Promise<RunRow[]>;
  runHead(runId: string): Promise<RunHead>;
  runSetup(runId: string): Promise<Omit<RunSetup, 'firstPrompt'>>;
  takenFiles(runId: string): Promise<TakenFiles>;
  lineage(runId: string): Promise<Lineage>;
  waiting(runId: string): Promise<Waiting>;
  modelCalls(runId: string, page: { after?: string | undefined; limit: number }): Promise<ModelCalls>;
  evaluations(runId: string): Promise<EvaluationDetail[]>;
  /** What the running command of a run has printed so far; null: nothing was copied, or it is over. */
  liveOutput(runId: string): Promise<LiveOutput | null>;
}
