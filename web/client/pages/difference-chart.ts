import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { rangeSeries, rowNames } from '../parts/range-series.js';
import { formatPercent, formatScore } from '../../../domain/text/format.js';
import type { Pairs } from '../../../domain/views/pairs.js';

type Task = Pairs['tasks'][number];

/** The mean size of a task's scores, so that tasks in different units share an axis; 0: none. */
function scaleOf({ pairs }: Task): number {
  const scores = pairs.flatMap(({ a, b }) => (a.score === null || b.score === null ? [] : [a.score, b.score]));
  return scores.reduce((sum, score) => sum + Math.abs(score), 0) / Math.max(1, scores.length);
}

/** How much better B is at each task, with its interval, in parts of the mean score there. */
export function differenceChart(tasks: readonly Task[]): Chart | null {
  const shown = tasks.flatMap((task) => {
    const scale = scaleOf(task);
    if (task.mean === null || scale === 0) return [];
    const [low, high] = [task.interval?.low, task.interval?.high].map((end) => (end === undefined ? end : end / scale));
    return [{ task, value: task.mean / scale, low, high }];
  });
  if (shown.length === 0) return null;
  return {
    id: 'differences',
    title: 'B better by, of the mean score of the task, with intervals of 95 %',
    description: `${shown
      .map(({ task, value }) => `${task.task} ${formatPercent(value)}, which is ${formatScore(task.mean)}`)
      .join('; ')}.`,
    draw: (_width, narrow) => ({
      height: shown.length * 34 + 60,
      option: {
        grid: { left: narrow ? 10 : 204, right: 24, top: 6, bottom: 46 },
        xAxis: {
          ...{ type: 'value', name: '← A better     B better →', nameLocation: 'middle', nameGap: 28 },
          ...{ nameTextStyle: TEXT, axisLine: AXIS_LINE, splitLine: SPLIT_LINE },
          axisLabel: { ...TEXT, formatter: (value: number) => formatPercent(value), hideOverlap: true },
        },
        yAxis: {
          ...rowNames(
            shown.map(({ task }) => task.task),
            narrow,
            TEXT,
          ),
          axisLine: AXIS_LINE,
        },
        series: [rangeSeries(shown, { color: 'var(--series-0)', filled: true, shift: narrow ? 4 : 0 })],
      },
    }),
  };
}
