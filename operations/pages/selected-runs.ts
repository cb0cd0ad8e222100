import type { RunSelection } from '../../domain/requests/run-filter.js';
import { readSought } from '../../domain/search-text.js';
import type { Bench } from '../bench.js';

const KEPT_MS = 60_000;
const KEPT = 20;

/**
 * Filters that ask for what steps contain, with the runs that do in its place: pages and counts of the same filter read the texts once.
 * What was found is kept a minute.
 */
export function selectedRuns(bench: Pick<Bench, 'database'>) {
  const known = new Map<string, { at: number; runs: Promise<string[]> }>();
  return async <Filter extends RunSelection>({ contains, ...filter }: Filter): Promise<Omit<Filter, 'contains'>> => {
    if (contains === undefined) return filter;
    const { pages } = await bench.database();
    // Orders and places are no part of what is selected.
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
