import { expect, it } from 'vitest';
import { ago, words } from '../../../web/client/parts/format.js';
import { pictureType, textOf } from '../../../web/client/parts/file-text.js';

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
