import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { pageExportRequestSchema } from '../../domain/requests/page.js';
import type { PageExportDocument } from '../../domain/views/page.js';
import { exportBatch, EXPORT_FORMATS } from '../../operations/records/export/export-batch.js';
import { importExchanged } from '../../operations/records/import/exchange/import-exchanged.js';
import { importMlgym } from '../../operations/records/import/import-mlgym.js';
import { findRunDirectories } from '../../operations/records/import/run-directories.js';
import { checkWritable, writeWhole } from '../../operations/write-whole.js';
import { makeConfigs } from '../../operations/tasks/import/import-tasks.js';
import { exportPage } from '../../web/server/export/export-page.js';
import { playedRun } from '../fixtures/exchanged-runs.js';
import { writeRunDirectory } from '../setup/run-directories.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { pageBench } from '../setup/page-server.js';
import { writeZip } from '../setup/write-zip.js';

let db: Database;
let bench: ReturnType<typeof pageBench>;
let own: string;
const out = mkdtempSync(join(tmpdir(), 'bench-page-export-'));
beforeAll(async () => {
  const url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  bench = pageBench(db, url);
  // The built page, which is not what is tested here.
  const built = join(bench.home, 'dist/web/static');
  mkdirSync(built, { recursive: true });
  for (const name of ['page.js', 'style.css']) writeFileSync(join(built, name), '');
  writeFileSync(join(bench.home, 'package.json'), '{"version":"1.2.3"}');
  Object.assign(bench.bench.settings, { assetsRoot: bench.home });
  own = (await playedRun(db, { steps: 3 })).runId;
});
afterAll(async () => {
  await db.close();
  for (const folder of [out, bench.home]) rmSync(folder, { recursive: true });
});

const exported = (what: string, to: object): Promise<PageExportDocument> =>
  exportPage(bench.bench, pageExportRequestSchema.parse({ what: [what], ...to }));
const quietly = { signal: new AbortController().signal, onFound: () => undefined, onDirectory: () => undefined };
const exchange = (format: 'atif' | 'inspect', path: string, batch: string) =>
  importExchanged(bench.bench, format, [path], { batch, dryRun: false }, quietly);

const messages = [
  { role: 'user', content: 'What is it?' },
  { id: 'm1', role: 'assistant', content: 'It is 42.' },
];
const log = writeZip(
  [
    [
      'header.json',
      JSON.stringify({
        ...{ version: 2, status: 'success' },
        eval: { created: '2026-03-01T12:00:00Z', task: 'gaia', dataset: {}, model: 'openai/gpt-5', config: {} },
      }),
    ],
    [
      'samples/7_epoch_1.json',
      JSON.stringify({
        ...{ id: 7, epoch: 1, input: 'What is it?', target: '42', messages, scores: { match: { value: 'C' } } },
        events: [{ event: 'model', output: { choices: [{ message: { id: 'm1' } }] } }],
      }),
    ],
  ],
  'deflate',
);

describe('the page of imported runs is written', () => {
  test.each<[string, (batch: string) => Promise<unknown>]>([
    [
      'of a log of Inspect',
      (batch) => {
        writeFileSync(join(out, 'one.eval'), log);
        return exchange('inspect', join(out, 'one.eval'), batch);
      },
    ],
    [
      'of a trajectory',
      async (batch) => {
        await exportBatch(bench.bench, own, { format: 'atif', output: join(out, 'one.json') });
        return exchange('atif', join(out, 'one.json'), batch);
      },
    ],
    [
      'of MLGym',
      async (batch) => {
        const directories = await findRunDirectories([writeRunDirectory(join(out, 'mlgym'), {})]);
        return importMlgym(db.imports, directories, { batch, tasks: {}, dryRun: false });
      },
    ],
  ])('%s, with its first prompt', async (name, load) => {
    const batch = name.replaceAll(' ', '-');
    await load(batch);
    const { rows } = await db.pool.query<{ id: string }>(
      'select run_id as id from runs join batches using (batch_id) where name = $1',
      [batch],
    );
    expect(rows).toHaveLength(1);
    expect(await exported(batch, { output: join(out, batch) })).toMatchObject({ runs: 1 });
    expect(readdirSync(join(out, batch)).sort()).toEqual(expect.arrayContaining(['data', 'index.html']));
  });

  test('a prompt of another tool’s run is what its record has', async () => {
    const { promptOf } = await import('../../operations/results/prompt.js');
    const { rows } = await db.pool.query<{ id: string }>(`select run_id as id from imports where format = 'inspect'`);
    expect(await promptOf(db, rows[0]!.id, 1)).toMatchObject({
      source: 'recorded',
      messages: [{ role: 'user', content: 'What is it?' }],
      turns: [{ reply: 'It is 42.' }],
    });
  });
});

describe('a place that cannot be written is refused at once, and nothing is left', () => {
  const unwritable = { type: 'usage', code: 'file.unwritable' };
  // Node's recursive mkdir never returns in /proc.
  const PLACES = ['/proc/x', '/proc/x/y', '/dev/null/x'];

  test.each(PLACES)('of the page: %s', async (place) => {
    await expect(exported(own, { output: place })).rejects.toMatchObject(unwritable);
    await expect(exported(own, { single: place })).rejects.toMatchObject(unwritable);
    // Before anything is read.
    await expect(exported('nothing-of-this-name', { single: place })).rejects.toMatchObject(unwritable);
    await expect(exported('nothing-of-this-name', { output: place })).rejects.toMatchObject(unwritable);
  });

  test.each(PLACES.flatMap((place) => EXPORT_FORMATS.map((format) => [format, place] as const)))(
    'of an export as %s: %s',
    async (format, place) => {
      const { rows } = await db.pool.query<{ id: string }>('select batch_id as id from runs where run_id = $1', [own]);
      await expect(exportBatch(bench.bench, rows[0]!.id, { format, output: place })).rejects.toMatchObject(unwritable);
      if (format === 'atif' || format === 'inspect')
        await expect(exportBatch(bench.bench, own, { format, output: place })).rejects.toMatchObject(unwritable);
    },
  );

  test.each(PLACES)('of a report and of a folder of configurations: %s', async (place) => {
    await expect(writeWhole(place, 'x')).rejects.toMatchObject(unwritable);
    await expect(checkWritable(place)).rejects.toMatchObject(unwritable);
    expect(() => makeConfigs(place, join(import.meta.dirname, '../../configs/agents'))).toThrow('cannot be written');
  });

  test('a device is not replaced by a file', async () => {
    await expect(writeWhole('/dev/null', 'x')).rejects.toThrow('it is a device or a pipe');
    await expect(exported(own, { single: '/dev/null' })).rejects.toMatchObject(unwritable);
  });

  test('a folder that fails midway leaves neither itself nor a part', async () => {
    const place = join(out, 'midway');
    rmSync(join(bench.home, 'dist/web/static/style.css'));
    await expect(exported(own, { output: place })).rejects.toMatchObject({ message: 'the page was not built' });
    expect(existsSync(place)).toBe(false);
    expect(readdirSync(out).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
