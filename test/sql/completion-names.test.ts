import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionLines } from '../../cli/completion/answer.js';
import type { CliContext } from '../../cli/context.js';
import { type Database, openDatabase } from '../../db/index.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const CONFIGS = resolve(import.meta.dirname, '../../configs');
let db: Database;
let databaseUrl: string;
const batch = submission('nightly', (id) => [run(id, task('t'), 'm', 1)]);
const runId = batch.runs[0]!.runId;
const { batchId } = batch.batch;

beforeAll(async () => {
  databaseUrl = await server.createDatabase();
  db = openDatabase(databaseUrl);
  await db.intake.submit(batch);
});
afterAll(() => db.close());

/** The answer uses the settings alone of the context. */
const answer = (words: string[], url: string | null = databaseUrl): Promise<string[]> => {
  const settings = { home: tmpdir(), configFolders: [CONFIGS], databaseUrl: url };
  return completionLines({ settings } as unknown as CliContext, words);
};

describe('the names that a shell is offered', () => {
  it('are those of runs, with model and task', async () => {
    expect(await answer(['show', 'r-'])).toEqual([`${runId}\tm t`]);
    expect(await answer(['show', 'r-none'])).toEqual([]);
  });

  it('are names and ids of batches, each with the other', async () => {
    expect(await answer(['runs', 'night'])).toEqual([`nightly\t${batchId}`]);
    expect(await answer(['runs', 'b-'])).toEqual([`${batchId}\tnightly`]);
  });

  it('are those of configurations, after what a list has', async () => {
    expect(await answer(['submit', '--models', 'o3,scripted:base'])).toEqual(['o3,scripted:baseline\tmodel']);
    expect(await answer(['submit', '--tasks=battleOf'])).toEqual(['--tasks=battleOfSexes\ttask']);
    expect(await answer(['leaderboard', '--suite', 'r'])).toEqual(['rl\tsuite']);
  });

  it('are none, soon, where the database does not answer or what is typed is no id', async () => {
    expect(await answer(['show', 'r-'], 'postgres://bench@127.0.0.1:1/none')).toEqual([]);
    expect(await answer(['show', "r-' or true --"])).toEqual([]);
  });
});
