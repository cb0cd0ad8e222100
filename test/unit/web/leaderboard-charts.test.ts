import { expect, it } from 'vitest';
import type { Leaderboard } from '../../../domain/views/leaderboard.js';
import { costPoints } from '../../../web/client/leaderboard/cost-chart.js';
import { stepLine } from '../../../web/client/leaderboard/profiles-chart.js';

it('the line of a profile runs from the left to the right end', () => {
  const line = (steps: [number, number][], axis: number) => stepLine(steps, axis).map((point) => point.join(' '));
  expect(line([[0, 0.5]], 1)).toEqual(['0 0.5', '1 0.5']);
  expect(
    line(
      [
        [0.2, 0.5],
        [0.4, 1],
      ],
      2,
    ),
  ).toEqual(['0 0', '0.2 0.5', '0.4 1', '2 1']);
  expect(line([], 1)).toEqual(['0 0', '1 0']);
});

it('costs are those of a run; models of no cost or an unknown one are omitted', () => {
  const row = (model: string, costPerRunUsd: string | null) => ({
    ...{ model, kind: 'real', isolation: 'container', unranked: null, bestAup: 1, costPerRunUsd },
  });
  const board = {
    comparison: { metric: 'best-attempt' },
    rows: [row('known', '0.5'), row('free', '0'), row('unknown', null)],
  } as unknown as Leaderboard;
  expect(costPoints(board).map(({ label, usd }) => [label, usd])).toEqual([['known', 0.5]]);
});
