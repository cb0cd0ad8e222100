import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { document as asked } from '../data/queries.js';
import type { Skeleton } from '../live/fold.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { duration, score as scoreText, words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
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
          <Empty title="Nothing was evaluated">
            <p>The agent has not asked for a validation, and has submitted nothing.</p>
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
            <div className="scroll" tabIndex={0} role="region" aria-label="Evaluations">
              <table>
                <thead>
                  <tr>
                    <th className="right">No.</th>
                    <th>Step</th>
                    <th>Kind</th>
                    <th>Split</th>
                    <th>Status</th>
                    <th className="right">{run?.primary === undefined ? 'score' : <Text value={run.primary} />}</th>
                    <th>Metrics</th>
                    <th>Submission</th>
                    <th>Isolation</th>
                    <th className="right">Took</th>
                    <th>At</th>
                    <th>Message</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((one) => (
                    <tr key={`${one.number} ${one.split} ${one.kind}`}>
                      <td className="right number">{one.number}</td>
                      <td>
                        <Link to="/runs/$id" params={{ id }} search={{ step: one.step }}>
                          step {one.step}
                        </Link>
                        {one.fromStep !== null && <span className="muted"> of step {one.fromStep}</span>}
                      </td>
                      <td>{words(one.kind)}</td>
                      <td>{one.split}</td>
                      <td>
                        <Badge tone={one.status === 'ok' ? 'good' : 'bad'} mark={one.status === 'ok' ? '✓' : '✕'}>
                          {words(one.status)}
                        </Badge>
                        {one.suspect && (
                          <Badge tone="warn" mark="⚠">
                            suspect
                          </Badge>
                        )}
                      </td>
                      <td className="right">
                        <strong>
                          <Score value={one.primary} />
                        </strong>
                      </td>
                      <td>
                        {Object.entries(one.metrics ?? {}).map(([name, value]) => (
                          <span key={name} className="metric">
                            <Text value={name} /> <Score value={value} />
                          </span>
                        ))}
                      </td>
                      <td>
                        {one.submissionSha256 === null ? (
                          <span className="none">–</span>
                        ) : (
                          <code title={one.submissionSha256}>{one.submissionSha256.slice(0, 8)}</code>
                        )}
                      </td>
                      <td>{one.isolation}</td>
                      <td className="right number">{duration(one.ms)}</td>
                      <td>
                        <Time at={one.at} />
                      </td>
                      <td className="wrap clamp">
                        <Text value={one.fault ?? one.message} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Ladder id={id} direction={run?.direction ?? 'maximize'} />
          </>
        )
      }
    </Shown>
  );
}
