import { describe, expect, test } from 'vitest';
import { kindsOf, likelyChart, quickChart } from '../../../web/client/sql/quick-chart.js';

const result = (columns: string[], rows: unknown[][]) => ({ columns, rows });

describe('a quick chart', () => {
  test('draws names as bars, times as a line, numbers against the first of them', () => {
    const byModel = result(
      ['model', 'runs', 'cost'],
      [
        ['a', 3, '0.5'],
        ['b', null, '1e-3'],
      ],
    );
    expect(kindsOf(byModel)).toEqual(['name', 'number', 'number']);
    expect(likelyChart(byModel)).toEqual({ kind: 'bars', x: 0, y: [1, 2] });
    const byDay = result(
      ['runs', 'day'],
      [
        [1, '2026-01-02T00:00:00.000Z'],
        [2, '2026-01-01T00:00:00.000Z'],
      ],
    );
    expect(likelyChart(byDay)).toEqual({ kind: 'line', x: 1, y: [0] });
    expect(likelyChart(result(['a', 'b'], [[1, 2]]))).toEqual({ kind: 'points', x: 0, y: [1] });
  });

  test('is none where there are no numbers beside another column', () => {
    for (const none of [result(['a'], [[1]]), result(['a', 'b'], [['x', 'y']]), result(['a', 'b'], [])])
      expect(likelyChart(none)).toBeNull();
  });

  test('has a line from left to right, exact texts as numbers, and says how many rows it leaves out', () => {
    const byDay = result(
      ['runs', 'day'],
      [
        ['1', '2026-01-02T00:00:00Z'],
        ['2', '2026-01-01T00:00:00Z'],
      ],
    );
    const { option } = quickChart(byDay, { kind: 'line', x: 1, y: [0] }).draw(800, false);
    const [series] = option.series as { data: unknown }[];
    expect(series!.data).toEqual([
      [Date.parse('2026-01-01T00:00:00Z'), 2],
      [Date.parse('2026-01-02T00:00:00Z'), 1],
    ]);
    const many = result(
      ['n', 'v'],
      Array.from({ length: 100 }, (_, i) => [`n${i}`, i]),
    );
    expect(quickChart(many, { kind: 'bars', x: 0, y: [1] }).title).toBe('v by n, the first 60 of 100 rows');
  });
});
