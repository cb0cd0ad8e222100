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

it('costs are those of a run, at list prices where runs were imported; models of no cost are omitted', () => {
  const row = (model: string, own: string | null, recorded: string | null, list: string | null) => ({
    ...{ model, kind: 'real', isolation: 'container', unranked: null, bestAup: 1 },
    ...{ costPerRunUsd: own, recordedCostPerRunUsd: recorded, listCostPerRunUsd: list },
  });
  const board = {
    comparison: { metric: 'best-attempt' },
    rows: [
      row('own', '0.5', null, null),
      row('listed', null, '9', '3'),
      row('recorded', null, '9', null),
      row('free', '0', null, null),
      row('unknown', null, null, null),
    ],
  } as unknown as Leaderboard;
  expect(costPoints({ board, over: 'tasks' }).map(({ label, usd }) => [label, usd])).toEqual([
    ['own', 0.5],
    ['listed', 3],
    ['recorded', 9],
  ]);
});
