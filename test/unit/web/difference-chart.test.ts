import { expect, it } from 'vitest';
import type { Pairs } from '../../../domain/views/pairs.js';
import { differenceChart } from '../../../web/client/pages/difference-chart.js';

type Task = Pairs['tasks'][number];
const task = (name: string, scores: [number | null, number | null][], mean: number | null): Task => {
  const side = (score: number | null) => ({ runId: 'r-1', model: 'm', score });
  return {
    ...{ task: name, metric: 'score', direction: 'maximize', baseline: null, mean },
    ...{ interval: mean === null ? null : { low: mean - 1, high: mean + 1 }, scored: scores.length },
    outcomes: { both: scores.length, onlyA: 0, onlyB: 0, neither: 0 },
    pairs: scores.map(([a, b], i) => ({
      ...{ attempt: i + 1, sameSeed: true, outcome: 'both', a: side(a), b: side(b) },
    })),
  };
};
const drawn = (tasks: Task[]) => {
  const option = differenceChart(tasks)!.draw(900, false).option as {
    yAxis: { data: string[] };
    series: { data: number[][] }[];
  };
  return option.yAxis.data.map((name, i) => [name, ...option.series[0]!.data[i]!]);
};

it('differences of tasks in other units share an axis, in parts of the mean score of each', () => {
  const small = task('small', [[1, 3]], 2);
  const large = task('large', [[-100, -300]], -200);
  expect(drawn([small, large])).toEqual([
    ['small', 1, 0, 0.5, 1.5],
    ['large', -1, 1, -1.005, -0.995],
  ]);
});

it('tasks without a pair of scores, or of scores that are all 0, are not drawn', () => {
  const none = task('none', [[null, 1]], null);
  const zero = task('zero', [[0, 0]], 0);
  expect(differenceChart([none, zero])).toBeNull();
  expect(drawn([none, task('one', [[1, 1]], 0), zero]).map(([name]) => name)).toEqual(['one']);
});
