import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareMigrations, knownMigrations, MIGRATIONS_FOLDER } from '../../../db/migration-files.js';

const script = join(MIGRATIONS_FOLDER, '../../scripts/fold-foreign-keys.mjs');
const { foldForeignKeys } = (await import(script)) as { foldForeignKeys: (migration: string) => string };

const history = (...hashes: string[]) => hashes.map((hash, i) => ({ hash, createdAt: i + 1 }));

describe('a database’s history is compared with the program’s', () => {
  test.each([
    ['current', history('a', 'b'), history('a', 'b')],
    ['behind', history('a', 'b'), history('a')],
    ['behind', history('a', 'b'), []],
    ['newer', history('a'), history('a', 'b')],
    ['before', history('a', 'b'), [{ hash: 'a', createdAt: 0 }]],
    ['foreign', history('a', 'b'), history('a', 'x')],
    ['foreign', history('a'), history('x', 'y')],
  ] as const)('%s', (state, known, applied) => {
    expect(compareMigrations([...known], [...applied])).toBe(state);
  });
});

test('every migration is in the journal, in the order of its time', () => {
  const journal = JSON.parse(readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
  for (const { tag } of journal.entries) expect(existsSync(join(MIGRATIONS_FOLDER, `${tag}.sql`))).toBe(true);
  const when = journal.entries.map((entry) => entry.when);
  expect(when).toEqual([...when].sort((a, b) => a - b));
  expect(knownMigrations()).toHaveLength(journal.entries.length);
});

test('migrations make tables; views, functions, triggers and comments are those of db/sql', () => {
  const statements = knownMigrations().flatMap((migration) => migration.statements);
  expect(statements.filter((sql) => /\b(view|function|trigger|type \w+ as|comment on)\b/i.test(sql))).toEqual([]);
});

test('foreign keys stand in the tables that a migration creates, which come after those that they refer to', () => {
  const key = (table: string, target: string) =>
    `ALTER TABLE "${table}" ADD CONSTRAINT "${table}_${target}_fk" FOREIGN KEY ("${target}") REFERENCES "public"."${target}"("id");`;
  const statements = [
    'CREATE TABLE "a" (\n\t"b" text,\n\t"old" text\n);',
    'CREATE TABLE "b" (\n\t"id" text\n);',
    key('a', 'b'),
    key('a', 'old'),
    key('old', 'b'),
    'CREATE INDEX "a_b" ON "a" ("b");',
  ];
  const folded = foldForeignKeys(statements.join('\n--> statement-breakpoint\n')).split('\n--> statement-breakpoint\n');
  expect(folded).toEqual([
    'CREATE TABLE "b" (\n\t"id" text\n);',
    'CREATE TABLE "a" (\n\t"b" text,\n\t"old" text' +
      ',\n\tCONSTRAINT "a_b_fk" FOREIGN KEY ("b") REFERENCES "public"."b"("id")' +
      ',\n\tCONSTRAINT "a_old_fk" FOREIGN KEY ("old") REFERENCES "public"."old"("id")\n);',
    // Of a table of before.
    key('old', 'b'),
    'CREATE INDEX "a_b" ON "a" ("b");',
  ]);
});
