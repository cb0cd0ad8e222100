import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer, Query } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { ChartView } from '../parts/chart-view.js';
import { differenceChart } from './difference-chart.js';
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
              <Differences tasks={data.tasks} />
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

function Differences({ tasks }: { tasks: readonly Task[] }) {
  const chart = useMemo(() => differenceChart(tasks), [tasks]);
  return chart === null ? null : <ChartView chart={chart} />;
}

const TaskPairs = ({ of }: { of: Task }) => (
  <section id={`pairs-${of.task}`}>
    <h2>
      <Text value={of.task} />
    </h2>
    <Table
      rows={of.pairs}
      rowKey={({ a, b }) => `${a.runId} ${b.runId}`}
      columns={[
        {
          title: 'Attempt',
          className: 'number',
          cell: ({ attempt, sameSeed, a, b }) => (
            <>
              <Link to="/compare" search={{ runs: [a.runId, b.runId] }}>
                {attempt}
              </Link>
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
  </section>
);
