import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnswerCheck } from '../../setup/rows/answer-check.js';
import { declaredRows } from '../../setup/rows/declared-rows.js';

const SOURCE = `
type Ask = <Row extends object>(operation: string, text: string, values: unknown[]) => Promise<Row[]>;
interface Client { query<Row>(text: string): Promise<{ rows: Row[] }> }
interface Row { n: number; note: string | null; state: 'open' | 'ended'; at?: Date }
const TABLE = 'runs';
export const plain = (run: Ask) => run<Row>('plain', 'select', []);
export const inferred = (ask: Ask): Promise<{ id: string }[]> => ask('inferred', 'select', []);
export const json = (run: Ask) =>
  run<{ doc: { steps: { name: string }[]; byName: Record<string, number> } | null }>('json', 'select', []);
export const either = (run: Ask, table: 'one' | 'two') => run<{ key: string }>(table, \`select key from \${table}\`, []);
export const first = (run: Ask) => run<{ a: number }>('shared', \`select a from \${TABLE}\`, []);
export const second = (run: Ask, where: string) => run<{ b: string }>('shared', \`select b from x \${where}\`, []);
export const ignored = (run: Ask) => run('ignored', 'select', []);
export const transaction = (client: Client, id: string) => client.query<{ c: bigint }>(\`select c for \${id}\`);
`;
const OIDS = { string: 25, number: 23, bigint: 20, json: 3802, Date: 1184 };

let folder: string;
let check: AnswerCheck;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-rows-'));
  const file = join(folder, 'calls.ts');
  writeFileSync(file, SOURCE);
  check = new AnswerCheck(declaredRows([file], { strict: true, target: ts.ScriptTarget.ES2022, types: [] }, folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Columns = Record<string, keyof typeof OIDS>;
const answer = (operation: string | null, columns: Columns, rows: unknown[], text = 'select') => {
  const fields = Object.entries(columns).map(([name, type]) => ({ name, dataTypeID: OIDS[type] }));
  return check.faults({ operation, text, result: { rows, fields } });
};
const PLAIN: Columns = { n: 'number', note: 'string', state: 'string' };
const plain = (row: object, columns = PLAIN) =>
  answer('plain', columns, [
    { n: 1, note: 'a', state: 'open' },
    { n: 1, note: null, state: 'ended', ...row },
  ]);

test('accepts what fits, and columns that nobody declares', () => {
  expect(plain({})).toEqual([]);
  expect(plain({ at: new Date(), more: 1n }, { ...PLAIN, at: 'Date', more: 'bigint' })).toEqual([]);
  expect(answer('ignored', { x: 'bigint' }, [{ x: '1' }])).toEqual([]);
});

test('finds strings for numbers, nulls, and values outside of a union', () => {
  expect(plain({ n: '7' })).toEqual(['plain: n: declared number, PostgreSQL returned string "7" (calls.ts:6)']);
  expect(plain({ n: null })).toEqual(['plain: n: declared number, PostgreSQL returned null (calls.ts:6)']);
  expect(plain({ state: 'lost' })).toEqual([
    'plain: state: declared "open" | "ended", PostgreSQL returned string "lost" (calls.ts:6)',
  ]);
});

test('finds missing columns and types, of answers without rows too', () => {
  expect(answer('plain', { n: 'bigint', note: 'string' }, [])).toEqual([
    'plain: n: declared number, PostgreSQL returned a column of string (calls.ts:6)',
    'plain: state: declared string, PostgreSQL returned no such column (calls.ts:6)',
  ]);
  expect(answer('inferred', {}, [])).toEqual([
    'inferred: id: declared string, PostgreSQL returned no such column (calls.ts:7)',
  ]);
});

test('looks into JSON', () => {
  const json = (doc: unknown) => answer('json', { doc: 'json' }, [{ doc }]);
  expect(json(null)).toEqual([]);
  expect(json({ steps: [{ name: 'a', more: 1 }], byName: { a: 1 } })).toEqual([]);
  expect(json({ steps: [{ name: 'a' }, {}], byName: { a: '1' } })).toEqual([
    'json: doc.steps[].name: declared string, PostgreSQL returned nothing (calls.ts:9)',
    'json: doc.byName.a: declared number, PostgreSQL returned string "1" (calls.ts:9)',
  ]);
});

test('a call is known by its operation and its text', () => {
  expect(answer('two', { key: 'string' }, [], 'select key from two')).toEqual([]);
  expect(answer('two', { key: 'json' }, [{ key: 1 }], 'select key from two')).toHaveLength(1);
  expect(answer('shared', { b: 'string' }, [], 'select b from x where true')).toEqual([]);
  expect(answer('shared', { b: 'string' }, [], 'select a from runs')).toHaveLength(1);
  expect(answer('never asked', {}, [])).toEqual(['never asked: no known call of db/ asks this']);
  expect(answer(null, { c: 'bigint' }, [{ c: '1' }], 'select c for u')).toEqual([
    'query: c: declared bigint, PostgreSQL returned a column of string (calls.ts:14)',
  ]);
  expect(answer(null, { c: 'bigint' }, [], 'a text of others')).toEqual([]);
});

test('says which calls had an answer', () => {
  answer('inferred', { id: 'string' }, []);
  expect(check.seen).toContain('calls.ts:7');
  expect(check.seen).not.toContain('calls.ts:2');
});
