import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as pages from '../../../../web/client/address/pages.js';
import { parseSearch, printSearch } from '../../../../web/client/address/search-params.js';

fc.configureGlobal({ seed: 5 });

const readers = {
  runs: pages.readRuns,
  run: pages.readRun,
  batches: pages.readBatches,
  batch: pages.readBatch,
  leaderboard: pages.readLeaderboard,
  compare: pages.readCompare,
  present: pages.readPresent,
  operations: pages.readOperations,
} as const;

describe('the address is the view', () => {
  it('what it is read as prints to what is read the same', () => {
    for (const search of [
      '?model=a&model=b%20c&endReason=&endReason=submit&scoreMin=0.5&costMax=2&since=2026-01-01T00%3A00%3A00.000Z&sort=-bestScore&columns=model&columns=best',
      '?text=%3Cimg%20src%3Dx%3E&flag=&status=running&sample=false',
    ]) {
      const read = pages.readRuns(parseSearch(search));
      expect(pages.readRuns(parseSearch(printSearch(read)))).toEqual(read);
      expect(Object.keys(read).length).toBe(new Set(new URLSearchParams(search).keys()).size);
    }
    expect(pages.readRun({ tab: 'scores', step: '12', over: 'cost' })).toEqual({
      tab: 'scores',
      step: 12,
      over: 'cost',
    });
    expect(pages.readCompare({ runs: 'r-a,r-b' })).toEqual({ runs: ['r-a', 'r-b'] });
  });

  it.each(Object.entries(readers))('garbage of a link to %s becomes what is left out, and never fails', (_, read) => {
    const value = fc.oneof(
      fc.string(),
      fc.array(fc.string()),
      fc.constantFrom('-1', '1e999', 'NaN', 'true', '', '0x10', '2026', '__proto__'),
    );
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'step',
        'tab',
        'model',
        'sort',
        'scoreMin',
        'since',
        'columns',
        'runs',
        'k',
        '__proto__',
        'constructor',
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
        const search = new URLSearchParams(
          pairs.flatMap(([key, one]): [string, string][] =>
            Array.isArray(one) ? one.map((item): [string, string] => [key, item]) : [[key, one]],
          ),
        );
        const found = read(parseSearch(search.toString()));
        expect(read(parseSearch(printSearch(found)))).toEqual(found);
        for (const one of Object.values(found)) expect(one).not.toBeNaN();
      }),
    );
    expect(read({ step: 'x', tab: 'nothing', sort: 'drop table', k: '-3', status: 'flying' })).toEqual({});
  });

  it('every way to choose, to order and to limit runs has its place in the address', () => {
    expect(pages.FACETS).toHaveLength(15);
    for (const facet of pages.FACETS)
      expect(
        Object.keys(
          pages.readRuns({
            [facet]: ['docker', 'true', 'real', 'bench', 'none', 'running', 'complete', 'submit', 'beyond_bounds'],
          }),
        ),
      ).toEqual([facet]);
  });
});
