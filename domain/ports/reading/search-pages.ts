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

/** Steps of these runs, from one to another; `whole`: what is of the runs as such, too. */
export interface SearchSlice {
  runIds: readonly string[];
  from: number;
  to: number;
  whole: boolean;
}

export type FoundText = Omit<SearchHit, 'model' | 'task' | 'attempt'>;

/** A submission that was taken in a step, by its hash. */
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

/** Full-text search, by slices. */
export interface SearchPages {
  searchedRuns(filter: RunSelection, sought: SoughtText): Promise<SearchedRun[]>;
  searchSlice(slice: SearchSlice, search: SliceSearch): Promise<{ hits: FoundText[]; bytes: number }>;
  submissionsOf(slice: SearchSlice): Promise<TakenSubmission[]>;
  excerptsOf(sought: SoughtText, texts: readonly string[]): Promise<FoundText['excerpt'][]>;
  runsContaining(filter: RunSelection, sought: SoughtText): Promise<string[]>;
}
