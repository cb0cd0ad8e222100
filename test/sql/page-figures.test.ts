import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import type { IntegrityPage, IntegritySummary } from '../../domain/views/integrity.js';
import type { Played, PlayedList } from '../../domain/views/subjects.js';
import type { EpisodesDocument, GroupMetrics, PolicyMetrics, ShownEpisode } from '../../domain/views/training.js';
import { listEpisodes } from '../../operations/episodes/list-episodes.js';
import { storeSweep } from '../browser/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { type PageApp, pageApp } from '../setup/page-app.js';
import { makeEpisodes, storeEpisodes } from './training-episodes.js';

let db: Database;
let app: PageApp;
let sweep: BatchSubmission;
let training: string;
beforeAll(async () => {
  const url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  sweep = await storeSweep(db);
  training = await storeEpisodes(db, 'training', makeEpisodes(1, 40));
  app = pageApp(db, url);
  for (const [i, rule] of (['protected_write', 'beyond_bounds'] as const).entries())
    await db.pool.query(
      `insert into integrity_flags (run_id, rule, step, detail, version) values ($1, $2, $3, 'found it', 1)`,
      [sweep.runs[0]!.runId, rule, 3 + i],
    );
  await db.pool.query(
    `insert into integrity_flags (run_id, rule, step, detail, version) values ($1, 'no_model_call', null, 'none', 1)`,
    [sweep.runs[5]!.runId],
  );
});
afterAll(async () => {
  app.close();
  await db.close();
});
const numberOf = async (sql: string): Promise<number> =>
  Number((await db.pool.query<{ n: string }>(`select (${sql}) as n`)).rows[0]!.n);

describe('integrity', () => {
  test('is counted as the tables have it', async () => {
    const told: IntegritySummary = await app.get('integrity', '/integrity');
    expect([told.flagged, told.runs]).toEqual([2, await numberOf(`select count(*) from runs where status = 'ended'`)]);
    expect(told.rules).toEqual([
      { value: 'beyond_bounds', runs: 1 },
      { value: 'no_model_call', runs: 1 },
      { value: 'protected_write', runs: 1 },
    ]);
    expect(told.models.reduce((sum, { runs }) => sum + runs, 0)).toBe(2);
    expect(told.suspects).toBe(await numberOf('select sum(suspects) from run_results'));
  });

  test('shows each flag with the step that fired it, by rule, model and task, page after page', async () => {
    const flags = async (query = ''): Promise<IntegrityPage> => app.get('integrityFlags', `/integrity/flags${query}`);
    const all = await flags();
    expect(all.flags).toHaveLength(3);
    const [, written] = all.flags
      .filter(({ runId }) => runId === sweep.runs[0]!.runId)
      .sort((a, b) => b.step! - a.step!);
    expect(written).toMatchObject({
      rule: 'protected_write',
      step: 3,
      action: 'python train.py --step 3',
      detail: 'found it',
    });
    expect((await flags('?rule=no_model_call')).flags).toMatchObject([{ step: null, action: null }]);
    expect((await flags('?model=nobody')).flags).toEqual([]);
    expect((await flags(`?task=${sweep.runs[0]!.task.id}&rule=beyond_bounds`)).flags).toHaveLength(1);
    const seen: IntegrityPage['flags'] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: IntegrityPage = await flags(`?limit=1${after === '' ? '' : `&after=${after}`}`);
      seen.push(...page.flags);
      after = page.next;
    }
    expect(seen).toEqual(all.flags);
  });
});

describe('what was played', () => {
  test.each(['tasks', 'models', 'agents'] as const)('%s: every run is of one', async (kind) => {
    const { played }: PlayedList = await app.get(kind, `/${kind}`);
    expect(played.reduce((sum, { runs }) => sum + runs, 0)).toBe(await numberOf('select count(*) from runs'));
    const one = kind.slice(0, -1) as 'task' | 'model' | 'agent';
    for (const { name, runs, ended } of played) {
      const { cells }: Played = await app.get(one, `/${kind}/${encodeURIComponent(name)}`);
      expect(cells.reduce((sum, cell) => sum + cell.runs, 0)).toBe(runs);
      expect(cells.reduce((sum, cell) => sum + cell.ended, 0)).toBe(ended);
    }
    expect((await app.ask(`/${kind}/nothing`)).status).toBe(404);
  });

  test('a model at a task has the scores of the leaderboard', async () => {
    const board = await db.queries.leaderboard({});
    for (const { task } of board.tasks) {
      const { cells, versions }: Played = await app.get('task', `/tasks/${task}`);
      expect(versions[0]).toMatchObject({ contract: 1, content: { id: task } });
      for (const row of board.rows) {
        const cell = cells.find(({ model, kind }) => model === row.model && kind === row.kind)!;
        const { best, bestRun, bestAttempts } = row.scores[task]!;
        const scored = bestAttempts.filter((score) => score !== null);
        expect([cell.best, cell.bestRun, cell.scored]).toEqual([best, bestRun, scored.length]);
        expect([...cell.scores].sort()).toEqual([...scored].sort());
        expect(cell.baseline).toBe(1);
      }
    }
  });
});

describe('episodes', () => {
  test('are those of `bench episodes`', async () => {
    const own: EpisodesDocument = await app.get('episodes', `/episodes?batch=${training}&limit=1000`);
    expect(own).toEqual(await listEpisodes(app.bench, { batch: training, limit: 1000 }));
    const [first] = own.episodes;
    const shown: ShownEpisode = await app.get('episode', `/episodes/${first!.runId}`);
    expect(shown).toMatchObject(first!);
    const open: EpisodesDocument = await app.get('episodes', `/episodes?batch=${training}&state=open`);
    expect(open.episodes.length).toBe(own.episodes.filter(({ status }) => status !== 'ended').length);
  });

  test('by policy version and by group are what the database measures', async () => {
    const { policies } = await app.get<{ policies: PolicyMetrics[] }>('policies', `/batches/${training}/policies`);
    expect(policies).toEqual(await db.queries.policyMetrics(training));
    expect(policies.length).toBeGreaterThan(1);
    const { groups } = await app.get<{ groups: GroupMetrics[] }>('groups', `/batches/${training}/groups`);
    expect(groups).toEqual(await db.queries.groupMetrics(training));
  });
});
