import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refuseUnknownNames } from '../../operations/results/refuse-unknown-names.js';
import { resolveComparison } from '../../operations/results/resolve-comparison.js';
import { type Database, openDatabase } from '../../db/index.js';
import { oneRun, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const CONFIGS = resolve(import.meta.dirname, '../../configs');
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  await oneRun(db, task('only-here'), { model: { name: 'their-own-model', kind: 'real', provider: 'p', model: 'm' } });
});
afterAll(async () => {
  await db.close();
});
const ports = () => ({ queries: db.queries, settings: { configFolders: [CONFIGS] } });
const refused = (names: { models?: string[]; tasks?: string[] }) => refuseUnknownNames(ports(), names);

test('names that have runs, or could have some, are taken', async () => {
  for (const names of [
    {},
    { models: ['their-own-model'], tasks: ['only-here', 'only-here@3'] },
    { models: ['scripted:optimum', 'human', 'their-own-model'], tasks: ['battleOfSexes@1'] },
  ])
    await refused(names);
});

test('a model or task that is unknown is refused with the nearest name, by runs and by all that compare', async () => {
  const usage = (message: string, remedy: string) => ({
    type: 'usage',
    exitCode: 2,
    message: expect.stringContaining(message) as string,
    remedy: expect.stringContaining(remedy) as string,
  });
  for (const [names, message, remedy] of [
    [{ models: ['their-own-model', 'their-own-modle'] }, 'no model "their-own-modle"', 'Did you mean their-own-model?'],
    [{ models: ['nope'] }, 'no model "nope"', 'Known: their-own-model, '],
    [{ tasks: ['onlyhere'] }, 'no task "onlyhere"', 'Did you mean only-here?'],
    [{ tasks: ['battleOfSexs@1'] }, 'no task "battleOfSexs@1"', 'Did you mean battleOfSexes?'],
  ] as const) {
    await expect(refused(structuredClone(names) as { models?: string[] })).rejects.toMatchObject(
      usage(message, remedy),
    );
    await expect(resolveComparison(ports(), structuredClone(names) as { models?: string[] })).rejects.toMatchObject(
      usage(message, remedy),
    );
  }
});
