import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { requireBaselines } from '../../operations/episodes/require-baselines.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const played = (id: string, baseline?: { value: number; standardError: number }) =>
  run('b-1', task(id, 'maximize', baseline === undefined ? {} : { baseline }), 'external', 1);

describe('a task whose rewards would all be null', () => {
  it('is refused, with its name, the mode and what to do', async () => {
    const stated = played('stated', { value: 1, standardError: 0 });
    await expect(requireBaselines(db, [stated, played('bare')], { mode: 'best' })).rejects.toMatchObject({
      type: 'usage',
      message: 'task bare has no baseline, from which mode best measures: every reward would be null',
      remedy: expect.stringContaining('a run of scripted:baseline on bare') as string,
    });
    await expect(requireBaselines(db, [played('bare'), played('other')], {})).rejects.toThrow('tasks bare, other');
  });

  it('is taken once its starter was measured, or states what it is worth', async () => {
    const measured = task('measured');
    await db.intake.submit(submission(null, (id) => [run(id, measured, 'm', 1)]));
    await db.pool.query('insert into baselines (content_hash, value, standard_error, runs) values ($1, 2, 0, 1)', [
      played('measured').taskHash,
    ]);
    await requireBaselines(db, [played('measured')], { mode: 'best' });
    await requireBaselines(db, [played('stated', { value: 1, standardError: 0 })], { mode: 'best' });
  });
});
