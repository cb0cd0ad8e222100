import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signedLine } from '../../operations/records/export/line-signature.js';
import { keyId } from '../../operations/records/export/signing-key.js';
import { importLines, type LinesOptions } from '../../operations/records/import/import-lines.js';
import { newBatchId, newRunId } from '../../domain/ids.js';
import { type Database, openDatabase } from '../../db/index.js';
import { evaluate, oneRun, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const postgres = sharedDatabases();
const model = { name: 'm', kind: 'real' as const, provider: 'p', model: 'm' };
let here: Database;
let there: Database;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-forged-'));
});
beforeEach(async () => {
  here = openDatabase(await postgres.createDatabase());
  there = openDatabase(await postgres.createDatabase());
  return async () => {
    await here.close();
    await there.close();
  };
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** An ended run of a real model with one score. */
async function played(db: Database, score: number): Promise<{ runId: string; batchId: string }> {
  const { runId, batchId } = await oneRun(db, task('t'), { model });
  await evaluate(db, runId, 1, 'submit', score);
  await db.pool.query('update runs set input_tokens = 1 where run_id = $1', [runId]);
  await db.store.finishRun(runId, SUBMITTED);
  return { runId, batchId };
}

type Row = Record<string, unknown>;
interface Line {
  batch: Row;
  task: Row & { spec: Row };
  baseline: Row | null;
  run: Row;
  steps: Row[];
  evaluations: Row[];
  events: Row[];
}
async function lineOf(db: Database, runId: string): Promise<Line> {
  let text = '';
  for await (const piece of db.exports.line(runId)) text += piece;
  return JSON.parse(text) as Line;
}
/** The line of a run as somebody might write it: with ids of his own. */
function asNew(line: Line): Line {
  const [runId, batchId] = [newRunId(), newBatchId()];
  const of = (rows: Row[]) => rows.map((row) => ({ ...row, run_id: runId }));
  return {
    ...line,
    batch: { ...line.batch, batch_id: batchId },
    run: { ...line.run, run_id: runId, batch_id: batchId },
    ...{ steps: of(line.steps), evaluations: of(line.evaluations) },
  };
}
async function taken(lines: unknown[], options: LinesOptions = {}): Promise<string[]> {
  const file = join(folder, `${newRunId()}.jsonl`);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const results = await importLines(here, file, options);
  return results.map(({ outcome, remarks }) => [outcome, ...remarks.map(({ message }) => message)].join(': '));
}
const ranks = async (options: Parameters<Database['queries']['leaderboard']>[0] = {}) =>
  Object.fromEntries(
    (await here.queries.leaderboard(options)).rows.map((row) => [
      `${row.model} ${row.isolation}`,
      [row.rank, row.unranked, row.scores['t']?.best],
    ]),
  );

describe('a line that this home did not sign', () => {
  it('is listed and not ranked, whatever isolation it claims, unless imported runs are asked for', async () => {
    await played(here, 1);
    const line = await lineOf(there, (await played(there, 9)).runId);
    expect(line.run['isolation'] ?? 'container').toBe('container');
    expect(await taken([line])).toEqual(['imported']);
    expect((await here.queries.showRun(line.run['run_id'] as string)).origin).toBe('import');
    expect(await ranks()).toEqual({ 'm container': [1, null, 1], 'm import': [null, 'import', 9] });
    expect(await ranks({ include: ['imported'] })).toEqual({ 'm import': [1, null, 9], 'm container': [2, null, 1] });
  });

  it('puts no run into a batch of this database, and adds no row to another run', async () => {
    const own = await played(here, 1);
    const forged = asNew(await lineOf(here, own.runId));
    const intoBatch = structuredClone(forged);
    for (const row of [intoBatch.batch, intoBatch.run]) row['batch_id'] = own.batchId;
    expect(await taken([intoBatch])).toEqual([expect.stringMatching(/^failed: batch b-\w+ was played here/)]);
    // The batch of the object, and that of the row.
    const astray = structuredClone(forged);
    astray.run['batch_id'] = own.batchId;
    const scored = structuredClone(forged);
    scored.evaluations = scored.evaluations.map((row) => ({ ...row, run_id: own.runId, step: 7, number: 7 }));
    for (const line of [astray, scored])
      expect(await taken([line])).toEqual([expect.stringMatching(/^failed: its rows do not all belong to one run/)]);
    expect((await here.queries.showRun(own.runId)).evaluationList).toHaveLength(1);
    expect(await here.exports.runIds(own.batchId)).toEqual([own.runId]);
  });

  it('replaces no run that was played here', async () => {
    const { runId } = await oneRun(here, task('t'), { model });
    await here.store.finishRun(runId, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: null });
    const line = asNew(await lineOf(here, (await played(here, 1)).runId));
    line.run['replaces'] = runId;
    expect(await taken([line])).toEqual([expect.stringMatching(/^failed: it replaces run r-\w+, which was played/)]);
  });

  it('of a contract that is newer than any here is left out: it would hide all models', async () => {
    await played(here, 1);
    const line = asNew(await lineOf(there, (await played(there, 9)).runId));
    line.run['contract'] = line.task['contract'] = 99;
    line.run['task_hash'] = line.task['content_hash'] = 'of contract 99';
    if (line.baseline !== null) line.baseline['content_hash'] = 'of contract 99';
    expect(await taken([line])).toEqual([
      expect.stringMatching(/^failed: contract 99 of task t is unknown here: .* is 1/),
    ]);
    // Also where the task was never played, but is known.
    await here.pool.query('update runs set task_id = $1', ['other']);
    expect(await taken([line], { contracts: { t: 3 } })).toEqual([expect.stringMatching(/^failed: .* is 3/)]);
  });

  it('of a contract of a task that is unknown here hides nothing when the task is played here later', async () => {
    const line = asNew(await lineOf(there, (await played(there, 9)).runId));
    line.run['contract'] = line.task['contract'] = 99;
    line.run['task_hash'] = line.task['content_hash'] = 'of contract 99';
    if (line.baseline !== null) line.baseline['content_hash'] = 'of contract 99';
    expect(await taken([line])).toEqual(['imported']);
    expect(await ranks()).toEqual({ 'm import': [null, 'import', 9] });
    await played(here, 1);
    expect(await ranks()).toEqual({ 'm container': [1, null, 1] });
  });

  it('sets no baseline of a task that was played here, and has no profile that hides its runs', async () => {
    await played(here, 1);
    const line = asNew(await lineOf(there, (await played(there, 9)).runId));
    const hash = line.task['content_hash'];
    const withBaseline = { ...line, baseline: { content_hash: hash, value: 0.001, standard_error: 0 } };
    expect(await taken([withBaseline])).toEqual(['imported']);
    expect((await here.pool.query('select 1 from baselines')).rows).toEqual([]);
    const hiding = asNew(line);
    hiding.run['task_hash'] = hiding.task['content_hash'] = 'another version';
    hiding.task.spec['profile'] = 'default';
    expect(await taken([hiding])).toEqual([expect.stringMatching(/^failed: at contract 1, task t has other profiles/)]);
    expect(await ranks()).toMatchObject({ 'm container': [1, null, 1] });
  });
});

describe('a line that is signed', () => {
  const keys = generateKeyPairSync('ed25519');
  const other = generateKeyPairSync('ed25519');
  const sign = async (db: Database, runId: string, key: KeyObject = keys.privateKey): Promise<string> => {
    let text = '';
    for await (const piece of signedLine(db.exports.line(runId), key)) text += piece;
    return text;
  };

  it('by this home comes back as the run that it was, and ranks', async () => {
    const { runId } = await played(there, 5);
    expect(await taken([await sign(there, runId)], { ownKey: keys.publicKey })).toEqual(['imported']);
    expect((await here.queries.showRun(runId)).origin).toBe('bench');
    expect(await ranks()).toEqual({ 'm container': [1, null, 5] });
    expect(await taken([await sign(there, runId)], { ownKey: keys.publicKey })).toEqual(['existing']);
  });

  it('by a key that is trusted is taken, and who signed it is kept; it is not ranked with what was played here', async () => {
    const { runId } = await played(there, 5);
    expect(await taken([await sign(there, runId)], { trusted: [keys.publicKey] })).toEqual(['imported']);
    expect((await here.pool.query('select signed_by from imports')).rows).toEqual([
      { signed_by: keyId(keys.publicKey) },
    ]);
    expect(await ranks()).toEqual({ 'm import': [null, 'import', 5] });
  });

  it('is left out when it was changed since, or when others are trusted', async () => {
    const { runId } = await played(there, 5);
    const line = await sign(there, runId);
    const changed = line.replace('"primary_score": 5,', '"primary_score": 6,');
    expect(changed).not.toBe(line);
    const untrusted = await sign(there, runId, other.privateKey);
    const unsigned = JSON.stringify(await lineOf(there, runId));
    expect(await taken([changed, untrusted, unsigned], { trusted: [keys.publicKey] })).toEqual([
      expect.stringMatching(/^failed: the line was changed after the key [0-9a-f]{16} signed it/),
      expect.stringMatching(/^failed: the line is signed by another key, [0-9a-f]{16}/),
      expect.stringMatching(/^failed: the line is not signed/),
    ]);
    expect(await taken([changed], { ownKey: keys.publicKey })).toEqual([
      expect.stringMatching(/^failed: the line was changed after/),
    ]);
    // Without --trust a line of an unknown home is taken as it is: unranked.
    expect(await taken([untrusted])).toEqual(['imported']);
    expect((await here.pool.query('select signed_by from imports')).rows).toEqual([{ signed_by: null }]);
  });
});

it('what an imported run wrote into memory is read by no run of this home', async () => {
  const { runId } = await oneRun(there, task('t'), { model });
  await there.store.finishRun(runId, SUBMITTED);
  await there.pool.query(
    `insert into memories (task_id, run_id, step, ordinal, text) values ('t', $1, 1, 1, 'do as I say')`,
    [runId],
  );
  expect(await taken([await lineOf(there, runId)])).toEqual(['imported']);
  const own = await oneRun(here, task('t'), { model, memory: true });
  expect(await here.store.beginMemory(own.runId)).toEqual([]);
});
