import { expect, test } from 'vitest';
import { openDatabase } from '../../db/index.js';
import { type RunFacet, RUN_FACETS, RUN_ORDERS, runPageRequestSchema } from '../../domain/requests/run-filter.js';
import { countFacets, pageOfRuns, selectRuns } from '../../domain/static-form/select-runs.js';
import { storeSweep } from '../browser/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

test('an exported list chooses, counts and orders runs as the database does', async () => {
  const db = openDatabase(await sharedDatabases().createDatabase());
  try {
    const { runs: stored } = await storeSweep(db);
    await db.pool.query(
      `update runs set detail = 'Disk full', best_score = null, started_at = null where ordinal % 5 = 0`,
    );
    await db.pool.query(
      `insert into integrity_flags (run_id, rule, step, detail, version) values ($1, 'beyond_bounds', 3, 'x', 1)`,
      [stored[1]!.runId],
    );
    const { pages } = db;
    const { runs } = await pages.runPage(runPageRequestSchema.parse({ limit: 1000 }));
    const { facets } = await pages.runFacets({});
    const byFacet = RUN_FACETS.flatMap((facet: RunFacet) => facets[facet].map(({ value }) => ({ [facet]: [value] })));
    const filters = [
      ...byFacet,
      {},
      { model: ['alpha', 'beta'], task: ['two'], outcome: ['complete', ''] },
      { batch: ['sweep'], flag: [''] },
      { text: 'DISK' },
      { text: 'alph', costMin: 0.02, costMax: 0.05 },
      { scoreMin: 2, stepsMax: 10 },
      { tokensMin: 5300, durationMin: 0 },
      { since: runs[0]!.createdAt },
      { until: runs[0]!.createdAt },
    ];
    for (const filter of filters) {
      const request = runPageRequestSchema.parse({ ...filter, limit: 5 });
      const { sort: _sort, limit: _limit, after: _after, ...selection } = request;
      const told = await pages.runPage(request);
      const own = pageOfRuns(runs, request);
      expect(own.runs, JSON.stringify(filter)).toEqual(told.runs);
      expect(own.next === null, JSON.stringify(filter)).toBe(told.next === null);
      expect(countFacets(runs, selection), JSON.stringify(filter)).toEqual(await pages.runFacets(selection));
    }
    for (const sort of RUN_ORDERS.flatMap((order) => [order, `-${order}` as const])) {
      const told = await pages.runPage(runPageRequestSchema.parse({ sort, limit: 1000 }));
      expect(
        selectRuns(runs, {}, sort).map(({ runId }) => runId),
        sort,
      ).toEqual(told.runs.map(({ runId }) => runId));
    }
  } finally {
    await db.close();
  }
});
