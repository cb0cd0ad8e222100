import { readdirSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { compareSql, declaredVersion, hashOf, SQL_FOLDER, SQL_ORDER, sqlSources } from '../../../db/sql-sources.js';

const CREATED = /^create (view|function|type) (\w+)/gm;
const COMMENTED = /^comment on (view|function|type) (\w+) is /gm;

describe('db/sql', () => {
  it('holds the files that the order names, and no other', () => {
    const files = readdirSync(SQL_FOLDER).filter((name) => name !== 'version.json');
    expect(files.sort()).toEqual(SQL_ORDER.map((name) => `${name}.sql`).sort());
  });

  test.each(sqlSources().filter(({ name }) => name !== 'tables'))(
    '$name makes that and says what it is for',
    (source) => {
      const found = (pattern: RegExp) => [...source.text.matchAll(pattern)].map(([, kind, name]) => `${kind} ${name}`);
      expect(found(CREATED)).toEqual([expect.stringMatching(new RegExp(` ${source.name}$`))]);
      expect(found(COMMENTED)).toEqual(found(CREATED));
    },
  );

  it('names each object after those that it uses', () => {
    const seen: string[] = [];
    for (const { name, text } of sqlSources().slice(1)) {
      seen.push(name);
      const used = SQL_ORDER.filter((other) => new RegExp(`\\b${other}\\b`).test(codeOf(text)));
      expect(
        used.filter((other) => other !== 'tables' && !seen.includes(other)),
        name,
      ).toEqual([]);
    }
  });

  it('has the version that version.json declares (else: raise the version, write the new hash there)', () => {
    expect(hashOf(sqlSources())).toBe(declaredVersion().hash);
  });
});

/** Without comments and literals. */
const codeOf = (sql: string): string =>
  sql
    .replace(/^comment on .*$/gm, '')
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^']|'')*'/g, '');

describe('views and functions of a database are compared with the program’s', () => {
  const stored = (version: number, hash: string) => ({ version, hash });
  test.each([
    ['current', stored(2, 'a'), stored(2, 'a')],
    ['current', stored(2, 'a'), stored(3, 'a')],
    ['behind', stored(2, 'a'), undefined],
    ['behind', stored(2, 'a'), stored(1, 'b')],
    ['behind', stored(2, 'a'), stored(2, 'b')],
    ['newer', stored(2, 'a'), stored(3, 'b')],
  ] as const)('%s', (state, known, found) => {
    expect(compareSql(known, found)).toBe(state);
  });
});
