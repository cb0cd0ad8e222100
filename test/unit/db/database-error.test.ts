import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, test } from 'vitest';
import { connectionError, queryError, storeError } from '../../../db/database-error.js';
import { describeDatabase } from '../../../db/connection-settings.js';
import { storable } from '../../../db/statements.js';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('prompt: my secret'), { code, ...more });

describe('errors of the store', () => {
  test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', '08006', '57P01', '57P03', '53300', '53100', '58030'])(
    '%s may pass',
    (code) => {
      expect(storeError('step', withCode(code))).toMatchObject({ name: 'DatabaseAway' });
    },
  );

  test.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Query read timeout',
  ])('%s may pass', (message) => {
    expect(storeError('step', new Error(message))).toMatchObject({ name: 'DatabaseAway' });
  });

  test.each(['23505', '22P02', '42P01', '42501'])('%s does not', (code) => {
    expect(storeError('step', withCode(code))).toMatchObject({ name: 'DatabaseError', code });
  });

  test('hold no parameters, even where drizzle put them into the message', () => {
    const cause = withCode('23505', { constraint: 'c', table: 't', detail: 'Key (x)=(my secret) exists' });
    for (const error of [cause, new DrizzleQueryError('insert', ['my secret'], cause), new Error('my secret')])
      for (const made of [storeError('op', error), queryError('op', error), connectionError('h', error)]) {
        expect(String(made)).not.toContain('secret');
        expect(made.cause).toBeUndefined();
      }
    expect(storeError('op', new DrizzleQueryError('insert', [], cause)).message).toBe(
      'Postgres: op failed: SQLSTATE 23505 (table t, constraint c)',
    );
  });
});

test('a database is named without its password', () => {
  expect(describeDatabase('postgres://me:s3cret@db.example:5433/bench?sslmode=require')).toBe('db.example:5433/bench');
  expect(describeDatabase('postgresql:///bench?host=/run/pg')).toBe('/run/pg/bench');
  for (const bad of ['', 'bench', 'http://x/y', 'postgres//x'])
    expect(() => describeDatabase(bad)).toThrow('not a PostgreSQL URL');
});

test('text with NUL characters becomes storable', () => {
  expect(storable('a\0b\0')).toBe('a\uFFFDb\uFFFD');
});
