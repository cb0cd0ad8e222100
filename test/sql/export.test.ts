import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importLines } from '../../operations/records/import/import-lines.js';
import { importMlgym } from '../../operations/records/import/import-mlgym.js';
import { findRunDirectories } from '../../operations/records/import/run-directories.js';
import { type Database, openDatabase } from '../../db/index.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { writeRunDirectory } from '../setup/run-directories.js';
import { evaluate, oneRun, SUBMITTED } from '../fixtures/rows.js';
import { LONG } from '../setup/long.js';

const postgres = sharedDatabases();
let here: Database;
let there: Database;
let folder: string;

beforeAll(async () => {
  here = openDatabase(await postgres.createDatabase());
  there = openDatabase(await postgres.createDatabase());
  folder = mkdtempSync(join(tmpdir(), 'bench-export-'));
});
afterAll(async () => {
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

const lineOf = async (db: Database, runId: string): Promise<string> => {
  let line = '';
  for await (const piece of db.exports.line(runId)) line += piece;
  return line;
};

const options = { batch: 'recorded', tasks: {}, dryRun: false };

/** A run of ours that validated once and submitted. */
async function ownRun(): Promise<{ runId: string; batchId: string }> {
  const { runId, batchId } = await oneRun(here);
  for (const [step, action] of [
    [1, 'validate'],
    [2, 'submit'],
  ] as const) {
    await here.store.saveAction(runId, step, { response: `reply "${step}"\\ é`, thought: 'so', action, modelMs: 1.25 });
    await here.store.saveCommand(runId, step, {
      observation: 'done\n',
      exitCode: 0,
      timedOut: false,
      lost: false,
      outputBytes: 5,
      requested: step === 2 ? 'submit' : null,
      workingDir: '/ws',
      commandMs: 3.5,
      images: [{ id: 'ab'.repeat(8), type: 'image/png', bytes: Buffer.from([0, 92, 39, 255]) }],
    });
  }
  await here.store.saveListedTools(runId, [{ name: 'a__b', description: 'c', parameters: { type: 'object' } }]);
  await evaluate(here, runId, 1, 'validate', 0.5);
  await evaluate(here, runId, 2, 'submit', 0.1 + 0.2);
  await here.store.finishRun(runId, SUBMITTED);
  return { runId, batchId };
}

describe('a batch that is exported', () => {
  it('as lines of JSON loses nothing, and changes nothing when it is imported again', async () => {
    const own = await ownRun();
    await importMlgym(here.imports, await findRunDirectories([writeRunDirectory(folder, { model: 'lined' })]), options);
    const recorded = (await here.queries.findBatch('recorded')).batchId;
    const ids = [...(await here.exports.runIds(own.batchId)), ...(await here.exports.runIds(recorded))];
    const lines = await Promise.all(ids.map((id) => lineOf(here, id)));
    const file = join(folder, 'runs.jsonl');
    writeFileSync(file, `${lines.join('\n')}\nnot JSON\n`);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['imported', 'imported', 'failed']);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['existing', 'existing', 'failed']);
    // Where a run is from is this database's own knowledge.
    const strip = (line: string) => {
      const { run, ...rest } = JSON.parse(line) as Record<string, Record<string, unknown>>;
      return { ...rest, batch: null, run: { ...run, origin: null } };
    };
    expect(Buffer.from((await there.store.images(own.runId, ['ab'.repeat(8)]))[0]!.bytes)).toEqual(
      Buffer.from([0, 92, 39, 255]),
    );
    expect(await there.store.listedTools(own.runId)).toHaveLength(1);
    for (const [i, id] of ids.entries()) expect(strip(await lineOf(there, id))).toEqual(strip(lines[i] ?? ''));
    await there.pool.query(`update steps set observation = 'other' where run_id = $1 and step = 2`, [own.runId]);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['changed', 'existing', 'failed']);
    await there.pool.query(`update steps set observation = E'done\n' where run_id = $1 and step = 2`, [own.runId]);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['existing', 'existing', 'failed']);
    await there.pool.query('update runs set step = 7 where run_id = $1', [own.runId]);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['changed', 'existing', 'failed']);
    expect(await there.queries.unfinishedRuns()).toBe(0);
  });

  it('with events of its run is JSON, and is imported with them', async () => {
    const { runId, batchId } = await ownRun();
    const event = {
      runId,
      batchId,
      kind: 'sandbox_lost',
      key: 'sandbox 1',
      detail: 'said "gone" – at\nstep 2',
    } as const;
    await here.store.addEvent(event);
    const file = join(folder, 'events.jsonl');
    writeFileSync(file, await lineOf(here, runId));
    const { events } = JSON.parse(readFileSync(file, 'utf8')) as { events: unknown[] };
    expect(events).toMatchObject([{ kind: event.kind, key: event.key, detail: event.detail }]);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['imported']);
    expect(await there.queries.events({ runId })).toMatchObject([
      { kind: event.kind, key: event.key, detail: event.detail },
    ]);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['existing']);
  });

  it('is imported from a line that is older than a column: its default holds', async () => {
    const { runId, batchId } = await ownRun();
    const file = join(folder, 'older.jsonl');
    const line = JSON.parse(await lineOf(here, runId)) as { batch: Record<string, unknown> };
    expect(line.batch['verification']).toBe(false);
    delete line.batch['verification'];
    writeFileSync(file, JSON.stringify(line));
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['imported']);
    const { rows } = await there.pool.query('select verification from batches where batch_id = $1', [batchId]);
    expect(rows).toEqual([{ verification: false }]);
  });

  it('is looked at by the integrity rules where its lines are imported, whatever rules have looked at it before', async () => {
    const { runId } = await ownRun();
    await here.pool.query(
      `update evaluations set primary_score = 500, metrics = '{"score": 500}' where run_id = $1 and kind = 'submit'`,
      [runId],
    );
    await here.pool.query('select flag_integrity(array[$1])', [runId]);
    const file = join(folder, 'flagged.jsonl');
    writeFileSync(file, await lineOf(here, runId));
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['imported']);
    const { flags } = await there.queries.showRun(runId);
    expect(flags).toMatchObject([{ rule: 'beyond_bounds', step: 2 }]);
    expect(flags).toEqual((await here.queries.showRun(runId)).flags);
    // As a line of older rules is.
    await there.pool.query('update runs set integrity_version = 99 where run_id = $1', [runId]);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['existing']);
  });

  it('is imported line by line: one that is cut short or has rows that do not fit is told with its place, the others are taken', async () => {
    const [first, second] = [await ownRun(), await ownRun()];
    const [whole, other] = [await lineOf(here, first.runId), await lineOf(here, second.runId)];
    const file = join(folder, 'broken.jsonl');
    const lines = [
      ...[other.slice(0, other.indexOf('"steps"') + 40), '', other.replace('"step": 1,', '"step": null,')],
      ...['{"format": "bench-run", "version": 1}', whole, '[1]'],
    ];
    writeFileSync(file, lines.join('\n'));
    const results = await importLines(there, file);
    expect(
      results.map(({ source, outcome, remarks: [remark] }) => [source, outcome, remark?.key, remark?.kind]),
    ).toEqual([
      ['line 1', 'failed', 'steps[0]', 'truncated'],
      ['line 3', 'failed', '', 'not_stored'],
      ['line 4', 'failed', '', 'not_stored'],
      [first.runId, 'imported', undefined, undefined],
      ['line 6', 'failed', '', 'not_json'],
    ]);
    await expect(there.queries.showRun(second.runId)).rejects.toMatchObject({ type: 'not_found' });
  });

  it.each([
    ['text', '# bench\n\nsome text\n'],
    ['JSON over several lines', '{\n  "name": "x",\n  "run": 1\n}\n'],
    ['lines of another program', '{"id": 1, "score": 2}\n{"id": 2}\n'],
  ])('is refused once, and as a whole, when it is %s', async (_, text) => {
    const file = join(folder, 'foreign.jsonl');
    writeFileSync(file, text);
    await expect(importLines(there, file)).rejects.toMatchObject({
      ...{ name: 'BenchError', code: 'import.unreadable', message: `${file} is no export of bench` },
    });
  });

  it.runIf(LONG)('with an observation of 50 MB loses nothing, in bounded memory', async () => {
    const { runId } = await ownRun();
    await here.pool.query(
      `update steps set observation = repeat(E'a line of "output" \\ é\n', 2000000) where run_id = $1 and step = 1`,
      [runId],
    );
    const file = join(folder, 'huge.jsonl');
    const rss = process.memoryUsage.rss();
    let peak = rss;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
    try {
      await writeFile(file, here.exports.line(runId));
      expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['imported']);
    } finally {
      clearInterval(watch);
    }
    const digest = async (db: Database) =>
      (
        await db.pool.query<{ digest: string | null; length: number | null }>(
          'select md5(observation) as digest, length(observation) from steps where run_id = $1',
          [runId],
        )
      ).rows;
    expect(await digest(there)).toEqual(await digest(here));
    console.info(`an observation of 50 MB out and in again: ${Math.round((peak - rss) / 1e6)} MB at most`);
    expect(peak - rss).toBeLessThan(700e6);
  });
});
