import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { document as asked } from '../data/queries.js';
import type { Skeleton } from '../live/fold.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { duration, score as scoreText, words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { plainText, Text } from '../parts/text.js';
import { Badge, Score } from '../parts/values.js';
import { Ladder } from './ladder.js';
import { type Over, scoresChart } from './scores-chart.js';

/** How the score moved, and by which change. */
export function ScoresTab({ id, skeleton }: { id: string; skeleton: Skeleton }) {
  const search = useSearch({ from: '/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const over: Over = search.over ?? 'step';
  const head = useQuery(asked('run', { id }, {}));
  const evaluations = useQuery(asked('evaluations', { id }, {}));
  const run = head.data?.run;
  const best = head.data?.bestOfTask ?? null;
  const points = useMemo(() => {
    const { step, at, costUsd } = skeleton.columns;
    let sum = 0;
    const costs = costUsd.map((cost) => (sum += Number(cost)));
    return (evaluations.data?.evaluations ?? []).flatMap((one) => {
      if (one.primary === null || one.split !== 'test') return [];
      const place = step.indexOf(one.step);
      return [
        {
          name: `step ${one.step}, ${words(one.kind)}: ${scoreText(one.primary)}${one.suspect ? ', suspect' : ''}`,
          step: one.step,
          time: place === -1 ? 0 : at[place]! - at[0]!,
          cost: place === -1 ? 0 : costs[place]!,
          score: one.primary,
          kind: one.kind,
          suspect: one.suspect,
        },
      ];
    });
  }, [skeleton, evaluations.data]);
  const chart = useMemo(
    () =>
      scoresChart(points, over, plainText(run?.primary ?? 'score'), [
        ...(run?.baseline == null ? [] : [{ name: 'baseline', value: run.baseline }]),
        ...(best === null || best.runId === run?.runId ? [] : [{ name: 'best', value: best.score }]),
      ]),
    [points, over, run, best],
  );
  return (
    <Shown of={evaluations} what="evaluations">
      {({ evaluations: all }) =>
        all.length === 0 ? (
          <Empty title="No evaluations">
            <p>The agent has neither validated nor submitted.</p>
          </Empty>
        ) : (
          <>
            {points.length > 0 && (
              <>
                <div className="toolbar">
                  <label>
                    Over{' '}
                    <select
                      value={over}
                      onChange={(event) =>
                        void navigate({
                          search: (now) => ({ ...now, over: event.target.value as Over }),
                          replace: true,
                        })
                      }
                    >
                      <option value="step">steps</option>
                      <option value="time">time</option>
                      <option value="cost">cost</option>
                    </select>
                  </label>
                </div>
                <ChartView
                  chart={chart}
                  onClick={(name) => {
                    const step = Number(/^step (\d+)/.exec(name)?.[1]);
                    if (Number.isInteger(step)) void navigate({ search: { step } });
                  }}
                />
              </>
            )}
            <h2>Evaluations</h2>
            <Table
              label="Evaluations"
              rows={all}
              rowKey={(one) => `${one.number} ${one.split} ${one.kind}`}
              columns={[
                { title: 'No.', right: true, cell: (one) => one.number },
                {
                  title: 'Step',
                  cell: (one) => (
                    <>
                      <Link to="/runs/$id" params={{ id }} search={{ step: one.step }}>
                        step {one.step}
                      </Link>
                      {one.fromStep !== null && <span className="muted"> of step {one.fromStep}</span>}
                    </>
                  ),
                },
                { title: 'Kind', cell: (one) => words(one.kind) },
                { title: 'Split', cell: (one) => one.split },
                {
                  title: 'Status',
                  cell: (one) => (
                    <>
                      <Badge tone={one.status === 'ok' ? 'good' : 'bad'} mark={one.status === 'ok' ? '✓' : '✕'}>
                        {words(one.status)}
                      </Badge>
                      {one.suspect && (
                        <Badge tone="warn" mark="⚠">
                          suspect
                        </Badge>
                      )}
                    </>
                  ),
                },
                {
                  title: <>{run?.primary === undefined ? 'score' : <Text value={run.primary} />}</>,
                  right: true,
                  cell: (one) => (
                    <strong>
                      <Score value={one.primary} />
                    </strong>
                  ),
                },
                {
                  title: 'Metrics',
                  cell: (one) =>
                    Object.entries(one.metrics ?? {}).map(([name, value]) => (
                      <span key={name} className="metric">
                        <Text value={name} /> <Score value={value} />
                      </span>
                    )),
                },
                {
                  title: 'Submission',
                  cell: (one) =>
                    one.submissionSha256 === null ? (
                      <span className="none">–</span>
                    ) : (
                      <code title={one.submissionSha256}>{one.submissionSha256.slice(0, 8)}</code>
                    ),
                },
                { title: 'Isolation', cell: (one) => one.isolation },
                { title: 'Took', right: true, cell: (one) => duration(one.ms) },
                { title: 'At', cell: (one) => <Time at={one.at} /> },
                { title: 'Message', className: 'wrap clamp', cell: (one) => <Text value={one.fault ?? one.message} /> },
              ]}
            />
            <Ladder id={id} direction={run?.direction ?? 'maximize'} />
          </>
        )
      }
    </Shown>
  );
}
