import { readSought } from '../../domain/text/search-text.js';
import type { SearchRequest } from '../../domain/requests/search.js';
import type { SearchPages } from '../../domain/ports/reading/search-pages.js';
import type { SearchHit, SearchMessage, SearchMessages } from '../../domain/views/search.js';
import { whileWanted } from '../while-wanted.js';
import { artifactsOf, type ArtifactPorts } from '../artifacts.js';
import { type FindRunPorts, runIdOf } from './resolve.js';
import { FileSearch } from './search-files.js';

/** Small slices at first, so that the first hit comes soon. */
const FIRST_STEPS = 50;
const MOST_STEPS = 500;
const MOST_RUNS = 200;
const SLICE_MS = 20_000;
const HITS_A_MESSAGE = 20;

export type SearchPorts = FindRunPorts & ArtifactPorts & { pages: Omit<SearchPages, 'runsContaining'> };

interface Searched {
  runId: string;
  steps: number;
}
interface Slice {
  runIds: string[];
  from: number;
  to: number;
  whole: boolean;
  steps: number;
  /** How many runs end in this slice. */
  runs: number;
}

/** Slices of runs in order: small runs together, large ones in parts. */
export function* slicesOf(runs: readonly Searched[]): Generator<Slice> {
  let most = FIRST_STEPS;
  let together: Searched[] = [];
  let steps = 0;
  const take = function* (): Generator<Slice> {
    if (together.length === 0) return;
    const to = Math.max(0, ...together.map((run) => run.steps));
    yield { runIds: together.map(({ runId }) => runId), from: 1, to, whole: true, steps, runs: together.length };
    [together, steps, most] = [[], 0, Math.min(MOST_STEPS, most * 2)];
  };
  for (const run of runs) {
    if (together.length === MOST_RUNS || (together.length > 0 && steps + run.steps > most)) yield* take();
    if (run.steps <= most) {
      together.push(run);
      steps += run.steps;
      continue;
    }
    for (let from = 1; from <= run.steps;) {
      const to = Math.min(run.steps, from + most - 1);
      const last = to === run.steps;
      yield { runIds: [run.runId], from, to, whole: from === 1, steps: to - from + 1, runs: last ? 1 : 0 };
      from = to + 1;
      most = Math.min(MOST_STEPS, most * 2);
    }
  }
  yield* take();
}

/**
 * Finds a text in what runs did and saw, newest run first, and yields hits as they are found.
 * Aborting the signal also ends the query. BenchError: no such run, or an invalid pattern.
 */
export async function* searchSteps(
  ports: SearchPorts,
  { q, in: places, run: one, excerpts, limit, ...filter }: SearchRequest,
  signal: AbortSignal,
): AsyncGenerator<SearchMessage, void, void> {
  const { pages } = ports;
  const sought = readSought(q);
  const selection = one === undefined ? filter : { ...filter, run: [await runIdOf(ports, one)] };
  const runs = await whileWanted(signal, () => pages.searchedRuns(selection, sought));
  const named = new Map(runs.map(({ runId, model, task, attempt }) => [runId, { model, task, attempt }]));
  const progress: SearchMessages['progress'] = {
    ...{ runs: 0, totalRuns: runs.length, steps: 0, totalSteps: runs.reduce((sum, { steps }) => sum + steps, 0) },
    ...{ bytes: 0, hits: 0, skipped: 0 },
  };
  let more = false;
  const files = places.includes('file') ? new FileSearch(pages, artifactsOf(ports), sought) : null;
  for (const slice of slicesOf(runs)) {
    const own = new AbortController();
    const leave = (): void => own.abort();
    signal.addEventListener('abort', leave);
    const timer = setTimeout(leave, SLICE_MS);
    try {
      const room = limit - progress.hits;
      const { hits, bytes } = await whileWanted(own.signal, () =>
        pages.searchSlice(slice, { sought, places, excerpts, limit: room + 1 }),
      );
      if (files !== null) {
        const found = await whileWanted(own.signal, () => files.slice(slice, room + 1 - hits.length, own.signal));
        hits.push(...found.hits);
        progress.bytes += found.bytes;
      }
      more = hits.length > room;
      const sent: SearchHit[] = hits.slice(0, room).map((hit) => ({ ...hit, ...named.get(hit.runId)! }));
      progress.hits += sent.length;
      progress.bytes += bytes;
      for (let i = 0; i < sent.length; i += HITS_A_MESSAGE)
        yield { event: 'hits', data: { hits: sent.slice(i, i + HITS_A_MESSAGE) } };
    } catch (error) {
      // Skips and reports a slice that takes too long, unless the caller has gone.
      if (signal.aborted || !own.signal.aborted) throw error;
      progress.skipped += slice.steps;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
    progress.steps += slice.steps;
    progress.runs += slice.runs;
    if (more) break;
    yield { event: 'progress', data: { ...progress } };
  }
  yield { event: 'done', data: { ...progress, more } };
}
