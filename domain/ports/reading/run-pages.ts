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
  /** Output of the running command so far; null: none was copied, or it has ended. */
  liveOutput(runId: string): Promise<LiveOutput | null>;
}
