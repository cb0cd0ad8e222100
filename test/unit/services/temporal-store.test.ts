import { appendFileSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { damageAtRest, keptStores, TemporalStore } from '../../../services/temporal-store.js';

const PAGE = 4096;
const NOW = new Date('2026-03-04T05:06:07.890Z');
let dir: string;
let file: string;
let log: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bench-unit-store-'));
  [file, log] = [join(dir, 'temporal.db'), join(dir, 'temporal.log')];
  writeFileSync(log, '');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** An SQLite file whose header names so many pages; `present`: that it has. */
function database(pages: number, present = pages): Buffer {
  const bytes = Buffer.alloc(present * PAGE);
  bytes.write('SQLite format 3\0', 'latin1');
  bytes.writeUInt16BE(PAGE, 16);
  for (const at of [24, 92]) bytes.writeUInt32BE(7, at);
  bytes.writeUInt32BE(pages, 28);
  return bytes;
}

const logged = (fields: Record<string, string>): void =>
  appendFileSync(log, `${JSON.stringify({ time: NOW, level: 'ERROR', ...fields })}\n`);

/** One on which a server runs. */
function running(): TemporalStore {
  writeFileSync(file, database(10));
  const store = new TemporalStore(file, log);
  expect(store.prepare(true, NOW)).toBeNull();
  expect(store.damage()).toBeNull();
  return store;
}

describe('the store of a running server is damaged', () => {
  it.each([
    ['emptied', () => truncateSync(file, 0), 'emptied under the running server'],
    ['cut', () => truncateSync(file, 3 * PAGE), `cut to ${3 * PAGE} bytes`],
    ['cut within its header', () => truncateSync(file, 50), 'does not begin as an SQLite database'],
    ['overwritten from its start', () => writeFileSync(file, Buffer.alloc(10 * PAGE, 7)), 'does not begin as'],
    ['removed', () => rmSync(file), 'removed under the running server'],
  ])('when its file is %s', (_how, harm, words) => {
    const store = running();
    harm();
    expect(store.damage()).toContain(words);
    // The server writes it back from its memory, and has holes now.
    writeFileSync(file, database(10));
    expect(store.damage()).toContain(words);
    expect(store.prepare(true, NOW)).toContain(words);
    expect(store.damage()).toBeNull();
  });

  const malformed = 'database disk image is malformed (11)';
  const foreign = 'file is not a database (26)';
  it.each([
    ['starts', { msg: `failed starting server: unable to create SQLite admin DB: ${malformed}` }, malformed],
    ['reads a page', { msg: 'service failures', error: `GetWorkflowExecution: ${foreign}` }, foreign],
  ])('when SQLite says so as the server %s', (_when, line, verdict) => {
    const store = running();
    logged(line);
    expect(store.damage()).toBe(`the server reports "${verdict}"`);
    expect(keptStores(file)).toEqual([]);
    writeFileSync(`${file}-wal`, 'pages');
    expect(store.prepare(true, NOW)).toBe(
      `its store was damaged: the server reports "${verdict}"; ` +
        `it was kept as ${file}.damaged-20260304T050607Z, and an empty store took its place`,
    );
    expect(readdirSync(dir).sort()).toEqual([
      'temporal.db.damaged-20260304T050607Z',
      'temporal.db.damaged-20260304T050607Z-wal',
      'temporal.log',
    ]);
    expect(keptStores(file)).toEqual([
      { path: `${file}.damaged-20260304T050607Z`, bytes: 10 * PAGE, at: new Date('2026-03-04T05:06:07Z') },
    ]);
    // What was said of the old store says nothing of the new one.
    expect(store.damage()).toBeNull();
  });
});

describe('a store is not damaged', () => {
  it.each([
    ['a slow server', { error: 'context deadline exceeded' }],
    ['a busy one', { error: 'database is locked (5)' }],
    ['a full disk', { error: 'database or disk is full (13)' }],
    ['a disk that fails to read once', { error: 'disk I/O error (10)' }],
    ['words of a client', { error: 'not found', 'wf-id': 'database disk image is malformed (11)' }],
  ])('by %s', (_what, line) => {
    const store = running();
    logged(line);
    expect(store.damage()).toBeNull();
    expect(store.prepare(true, NOW)).toBeNull();
  });

  it('by growth, by a line that is half written, nor by old lines of the log', () => {
    logged({ error: 'database disk image is malformed (11)' });
    const store = running();
    writeFileSync(file, database(20));
    appendFileSync(log, '{"error":"database disk image is malformed (11)"');
    expect(store.damage()).toBeNull();
    appendFileSync(log, '}\n');
    expect(store.damage()).toContain('malformed');
  });

  it('while it is made', () => {
    const store = new TemporalStore(file, log);
    expect(store.prepare(false, NOW)).toBeNull();
    expect(store.damage()).toBeNull();
    writeFileSync(file, '');
    expect(store.damage()).toBeNull();
    writeFileSync(file, database(1));
    expect(store.damage()).toBeNull();
  });

  it('after a crash that left pages in the write-ahead log', () => {
    writeFileSync(file, database(10, 4));
    writeFileSync(`${file}-wal`, 'pages');
    expect(damageAtRest(file, true)).toBeNull();
    rmSync(`${file}-wal`);
    expect(damageAtRest(file, true)).toBe(`its file has ${4 * PAGE} bytes of ${10 * PAGE}`);
  });
});

it.each([
  ['gone', () => undefined, 'its file was gone'],
  ['empty', () => writeFileSync(file, ''), 'its file was empty'],
  ['of another kind', () => writeFileSync(file, Buffer.alloc(PAGE, 1)), 'its file does not begin as'],
])('a store that is %s before a start is a loss only where a server has worked', (_how, harm, words) => {
  harm();
  expect(new TemporalStore(file, log).prepare(true, NOW)).toContain(words);
  if (words.endsWith('begin as')) return;
  harm();
  expect(new TemporalStore(file, log).prepare(false, NOW)).toBeNull();
});
