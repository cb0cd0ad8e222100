import { expect, test } from 'vitest';
import { readTime, timeOf } from '../../../../../operations/records/import/exchange/json-values.js';

test.each([
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01T12:00:00.123456+00:00', '2026-03-01T12:00:00.123Z'],
  ['2026-03-01 12:00+0530', '2026-03-01T06:30:00.000Z'],
  ['2026-03-01T12:00:00-08', '2026-03-01T20:00:00.000Z'],
])('%s is a time with a zone', (text, at) => {
  expect(readTime(text)).toEqual({ at, zoned: true });
});

test('a time without a zone is the same on every host: UTC', () => {
  expect(readTime('2026-03-01T12:00:00')).toEqual({ at: '2026-03-01T12:00:00.000Z', zoned: false });
});

test.each([
  'step 7',
  '7',
  '2026',
  '2026-03-01',
  'Sun Mar 01 2026',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '',
  7,
  null,
])('%j is no time', (value) => {
  expect(timeOf(value)).toBeNull();
});
