import { expect, it } from 'vitest';
import { ago, bytes, duration, short, usd, words } from '../../../web/client/parts/format.js';
import { pictureType, textOf } from '../../../web/client/parts/file-text.js';

it('durations state their unit', () => {
  expect(
    [0, 0.4, 12, 999, 1000, 12_340, 59_949, 60_000, 200_000, 7_500_000, 86_400_000 * 3.5, null].map((ms) =>
      duration(ms),
    ),
  ).toEqual([
    ...[
      '< 1 ms',
      '< 1 ms',
      '12 ms',
      '999 ms',
      '1.0 s',
      '12.3 s',
      '59.9 s',
      '1 min',
      '3 min 20 s',
      '2 h 5 min',
      '3 d 12 h',
      '–',
    ],
  ]);
});

it('money is told from exact decimals', () => {
  expect(['0', '0.00123456789', '12.3456', '1000', null].map((exact) => usd(exact))).toEqual([
    '$0',
    '$0.0012',
    '$12.35',
    '$1000.00',
    '–',
  ]);
});

it('sizes and counts are short', () => {
  expect([0, 1023, 1024, 15_000_000, 3_300_000_000].map((size) => bytes(size))).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '14 MiB',
    '3.1 GiB',
  ]);
  expect([999, 12_345, 812_345, 12_345_678].map((amount) => short(amount))).toEqual([
    '999',
    '12.3 k',
    '812 k',
    '12.3 M',
  ]);
});

it('names are told in words', () => {
  expect(['max_steps', 'maxSteps', 'ok'].map((name) => words(name))).toEqual(['max steps', 'max steps', 'ok']);
});

it('times are told from now', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  expect(
    ['2026-01-01T23:59:48Z', '2026-01-01T20:00:00Z', '2026-01-02T00:03:00Z', '2026-01-02T00:00:00Z'].map((at) =>
      ago(at, now),
    ),
  ).toEqual(['12 s ago', '4 h ago', 'in 3 min', 'now']);
});

it('a picture is told by its bytes, and HTML or SVG is text', () => {
  const bytesOf = (...values: number[]) => new Uint8Array(values);
  expect(pictureType(bytesOf(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a))).toBe('image/png');
  const svg = new TextEncoder().encode('<svg onload="alert(1)"/>');
  expect(pictureType(svg)).toBeNull();
  expect(textOf(svg)).toBe('<svg onload="alert(1)"/>');
  expect(textOf(bytesOf(1, 0, 2))).toBeNull();
});
