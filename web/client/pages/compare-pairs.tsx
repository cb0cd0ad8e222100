import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import type { Answer, Query } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { ChartView } from '../parts/chart-view.js';
import { formatCount, formatScore, plural } from '../../../domain/text/format.js';
import { verdictText } from '../../../domain/text/verdict.js';
import { Empty, Shown } from '../parts/states.js';
import { type Column, Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { RunLink, Score } from '../parts/values.js';

type Pairs = Answer<'pairs'>;
type Task = Pairs['tasks'][number];
const OUTCOMES = { both: 'both', onlyA: 'only A', onlyB: 'only B', neither: 'neither' } as const;

/** Two batches or two models: which side improved, attempt by attempt. */
export function ComparePairs({ request }: { request: Query<'pairs'> }) {
  const pairs = useQuery({ ...asked('pairs', {}, request), placeholderData: keepPreviousData });
  return (
    <Shown of={pairs} what="pairs of attempts" rows={12}>
      {(data) => (
        <>
          <p>
            <strong>
              <Text value={verdictText(data)} />
            </strong>
          </p>
          <p>
            A is <Text value={data.a} />, B is <Text value={data.b} />. {plural(pairsOf(data), 'pair')} of the same task
            and attempt
            {data.unpaired.a + data.unpaired.b > 0 &&
              `; without a partner: ${formatCount(data.unpaired.a)} runs of A, ${formatCount(data.unpaired.b)} of B`}
            .
          </p>
          {data.tasks.length === 0 ? (
            <Empty title="The two sides share no task and attempt">
              <p>A pair is two counted runs of the same task version and attempt.</p>
            </Empty>
          ) : (
            <>
              <Outcomes of={data} />
              <Tasks tasks={data.tasks} />
              <div className="pairs">
                {data.tasks.map((task) => (
                  <TaskPairs key={task.task} of={task} />
                ))}
              </div>
            </>
          )}
        </>
      )}
    </Shown>
  );
}

const pairsOf = ({ outcomes }: Pairs): number => Object.values(outcomes).reduce((sum, some) => sum + some, 0);

const Outcomes = ({ of }: { of: Pairs }) => (
  <dl className="headline" aria-label="Pairs by which side improved on the baseline">
    {(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map((name) => (
      <div key={name} className="fact">
        <dt>{name === 'neither' ? 'improved by neither' : `improved by ${OUTCOMES[name]}`}</dt>
        <dd className="number">{formatCount(of.outcomes[name])}</dd>
      </div>
    ))}
  </dl>
);

const Tasks = ({ tasks }: { tasks: readonly Task[] }) => (
  <Table
    label="Tasks"
    rows={tasks}
    rowKey={({ task }) => task}
    columns={[
      {
        title: 'Task',
        names: true,
        cell: ({ task }) => (
          <a href={`#pairs-${task}`} onClick={(event) => scrollToTask(event, task)}>
            <Text value={task} />
          </a>
        ),
      },
      ...(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map((name): Column<Task> => ({
        title: OUTCOMES[name],
        right: true,
        cell: ({ outcomes }) => formatCount(outcomes[name]),
      })),
      {
        title: 'B better by [95 %]',
        right: true,
        cell: ({ mean, interval }) =>
          `${mean === null ? '–' : formatScore(mean)}${interval === null ? '' : ` [${formatScore(interval.low)}, ${formatScore(interval.high)}]`}`,
      },
      { title: 'pairs with two scores', right: true, cell: ({ scored }) => formatCount(scored) },
    ]}
  />
);

function scrollToTask(event: React.MouseEvent, task: string): void {
  event.preventDefault();
  document.getElementById(`pairs-${task}`)?.scrollIntoView({ block: 'start' });
}

function TaskPairs({ of }: { of: Task }) {
  const navigate = useNavigate();
  const chart = useMemo(() => pairsChart(of), [of]);
  const table = (
    <Table
      rows={of.pairs}
      rowKey={({ a, b }) => `${a.runId} ${b.runId}`}
      columns={[
        {
          title: 'Attempt',
          className: 'number',
          cell: ({ attempt, sameSeed }) => (
            <>
              {attempt}
              {!sameSeed && <span className="muted"> other seed</span>}
            </>
          ),
        },
        { title: 'A', cell: ({ a }) => <RunLink id={a.runId} /> },
        { title: 'score', right: true, cell: ({ a }) => <Score value={a.score} /> },
        { title: 'B', cell: ({ b }) => <RunLink id={b.runId} /> },
        { title: 'score', right: true, cell: ({ b }) => <Score value={b.score} /> },
        { title: 'improved by', cell: ({ outcome }) => OUTCOMES[outcome] },
      ]}
    />
  );
  return (
    <section id={`pairs-${of.task}`}>
      <h2>
        <Text value={of.task} />
      </h2>
      {of.scored === 0 ? (
        table
      ) : (
        <ChartView
          chart={chart}
          onClick={(name) => {
            const runs = name.split(' ');
            if (runs.length === 2) void navigate({ to: '/compare', search: { runs } });
          }}
        >
          {table}
        </ChartView>
      )}
    </section>
  );
}

/** Each pair a point; on the line both are equal. */
function pairsChart({ task, metric, direction, pairs, baseline }: Task): Chart {
  const points = pairs.flatMap(({ a, b, attempt }) =>
    a.score === null || b.score === null
      ? []
      : [{ name: `${a.runId} ${b.runId}`, value: [a.score, b.score] as [number, number], attempt }],
  );
  const values = [...points.flatMap(({ value }) => value), ...(baseline === null ? [] : [baseline])];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = high === low ? Math.abs(high) * 0.1 || 1 : (high - low) * 0.08;
  const [min, max] = [low - room, high + room];
  const axis = (name: string) => ({
    type: 'value' as const,
    ...{ min, max, name, nameLocation: 'middle' as const, nameTextStyle: TEXT },
    axisLabel: {
      ...TEXT,
      formatter: (value: number) => formatScore(value),
      hideOverlap: true,
      showMinLabel: false,
      showMaxLabel: false,
    },
  });
  return {
    id: `pairs-${task}`,
    title: `${metric} of each pair; ${direction === 'maximize' ? 'above' : 'below'} the line B is better`,
    description: points
      .map(({ attempt, value }) => `attempt ${attempt}: ${value.map((one) => formatScore(one)).join(', ')}`)
      .join('; '),
    draw: (width) => ({
      // A square, so that the line is the diagonal.
      height: Math.min(400, Math.max(260, width * 0.85)),
      option: {
        grid: { left: 64, right: 24, top: 16, bottom: 44 },
        tooltip: {
          trigger: 'item',
          renderMode: 'richText',
          formatter: (item) => {
            const { value } = item as unknown as { value: [number, number] };
            return `A ${formatScore(value[0])}, B ${formatScore(value[1])}`;
          },
        },
        xAxis: { ...axis('A'), nameGap: 28, axisLine: AXIS_LINE, splitLine: { show: false } },
        yAxis: { ...axis('B'), nameGap: 48, splitLine: SPLIT_LINE },
        series: [
          {
            type: 'line',
            data: [
              [min, min],
              [max, max],
            ],
            symbol: 'none',
            silent: true,
            lineStyle: { color: 'var(--axis)', type: 'dashed', width: 1 },
          },
          {
            type: 'scatter',
            data: points.map(({ name, value }) => ({ name, value })),
            symbolSize: 10,
            itemStyle: { color: 'var(--series-0)', opacity: 0.8 },
          },
        ],
      },
    }),
  };
}
