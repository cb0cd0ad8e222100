import type { SearchPages } from '../../domain/ports/reading/search-pages.js';
import type { RunSelection } from '../../domain/requests/run-filter.js';
import { readSought } from '../../domain/text/search-text.js';

const KEPT_MS = 60_000;
const KEPT = 20;

/**
 * Replaces the searched text by the runs whose steps contain it, kept for a minute: pages and
 * counts of the same filter read the texts once.
 */
export function selectedRuns({ pages }: { pages: Pick<SearchPages, 'runsContaining'> }) {
  const known = new Map<string, { at: number; runs: Promise<string[]> }>();
  return async <Filter extends RunSelection>({ contains, ...filter }: Filter): Promise<Omit<Filter, 'contains'>> => {
    if (contains === undefined) return filter;
    // Order and page do not change the selection.
    const { sort: _sort, after: _after, limit: _limit, ...selection } = filter as Record<string, unknown>;
    const key = JSON.stringify([contains, selection]);
    for (const [old, { at }] of known) if (Date.now() - at > KEPT_MS || known.size > KEPT) known.delete(old);
    const runs = known.get(key)?.runs ?? pages.runsContaining(selection, readSought(contains));
    if (!known.has(key)) {
      known.set(key, { at: Date.now(), runs });
      runs.catch(() => known.delete(key));
    }
    return { ...filter, run: await runs };
  };
}
