import type { RunSelection } from '../../requests/run-filter.js';
import type { SearchPlace } from '../../requests/search.js';
import type { SoughtText } from '../../text/search-text.js';
import type { SearchHit } from '../../views/search.js';

export interface SearchedRun {
  runId: string;
  model: string;
  task: string;
  attempt: number;
  steps: number;
}

/** Steps `from` to `to` of these runs; `whole`: also texts of the run itself. */
export interface SearchSlice {
  runIds: readonly string[];
  from: number;
  to: number;
  whole: boolean;
}

export type FoundText = Omit<SearchHit, 'model' | 'task' | 'attempt'>;

export interface TakenSubmission {
  runId: string;
  step: number;
  sha256: string;
}

interface SliceSearch {
  sought: SoughtText;
  places: readonly SearchPlace[];
  excerpts: boolean;
  limit: number;
}

export interface SearchPages {
  searchedRuns(filter: RunSelection, sought: SoughtText): Promise<SearchedRun[]>;
  searchSlice(slice: SearchSlice, search: SliceSearch): Promise<{ hits: FoundText[]; bytes: number }>;
  submissionsOf(slice: SearchSlice): Promise<TakenSubmission[]>;
  excerptsOf(sought: SoughtText, texts: readonly string[]): Promise<FoundText['excerpt'][]>;
  runsContaining(filter: RunSelection, sought: SoughtText): Promise<string[]>;
}
