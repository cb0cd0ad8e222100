import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { importMlgym } from '../../operations/records/import/import-mlgym.js';
import { findRunDirectories } from '../../operations/records/import/run-directories.js';
import { foundByReading, looksAlike } from '../fixtures/published-flags.js';
import { publishedRunDirectories } from '../setup/run-directories.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const postgres = sharedDatabases();
let db: Database;
beforeAll(async () => {
  const url = await postgres.createDatabase();
  await migrate(url);
  db = openDatabase(url);
});
afterAll(() => db.close());

/** `trajectories` of an MLGym checkout has all; without it, the few next to this checkout. */
const CHECKOUT = process.env['BENCH_TEST_MLGYM_RUNS'];

/** `<model>/<task>/<index>` of a run directory. */
const shortName = (source: string): string => {
  const [model = '', task = ''] = source.replace(/^metagen-/, '').split('__');
  return `${model}/${task}/${/_run_(\d+)$/.exec(source)?.[1] ?? ''}`;
};

test('the rules find in the published runs what reading them finds, and nothing that looks alike', async ({ skip }) => {
  const folders = CHECKOUT === undefined ? publishedRunDirectories() : [CHECKOUT];
  if (folders.length === 0) return skip();
  const results = await importMlgym(db.imports, await findRunDirectories(folders), {
    batch: 'published',
    tasks: {},
    dryRun: false,
  });
  const here = new Set(results.flatMap(({ source, runId }) => (runId === null ? [] : shortName(source))));
  const { rows } = await db.pool.query<{ source: string; rule: string; step: number; until: number | null }>(
    // Flags are on runs whose best or last score is the starter's; FOUND lists all such scores.
    `select i.source, m.rule, m.step, m.until from integrity_flags m join imports i using (run_id)
     where m.rule not in ('no_model_call', 'untouched_starter', 'tried')
     union all
     select i.source, 'untouched_starter', min(e.step), max(e.step) from evaluations e join imports i using (run_id)
     where e.unchanged group by i.source`,
  );
  const text = ({
    run,
    rule,
    step,
    until,
  }: {
    run: string;
    rule: string;
    step: number;
    until: number | null;
  }): string => `${run} ${rule} ${step} ${until ?? '-'}`;
  const flagged = rows.map(({ source, ...flag }) => text({ run: shortName(source), ...flag })).sort();
  const expected = foundByReading
    .filter(({ run }) => here.has(run))
    .map(text)
    .sort();
  const right = flagged.filter((flag) => expected.includes(flag)).length;
  console.info(
    `${here.size} published runs: ${flagged.length} flags, precision ${right}/${flagged.length}, recall ${right}/${expected.length}`,
  );
  expect(flagged).toEqual(expected);
  const wrong = new Set(rows.map(({ source, rule }) => `${shortName(source)} ${rule}`));
  expect(looksAlike.filter(({ run, rule }) => wrong.has(`${run} ${rule}`))).toEqual([]);
  expect(expected.length).toBeGreaterThan(0);
}, 900_000);
