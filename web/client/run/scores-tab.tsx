import { formatDuration } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { useChange } from '../address/change.js';
import { document as asked } from '../data/queries.js';
import type { Skeleton } from '../live/fold.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { Choice } from '../parts/fields.js';
import { formatScore } from '../../../domain/text/format.js';
import { words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { plainText, Text } from '../parts/text.js';
import { Badge, Score, StepLink } from '../parts/values.js';
import { Ladder } from './ladder.js';
import { type ScoredPoint, scoresChart } from './scores-chart.js';

type Evaluation = Answer<'evaluations'>['evaluations'][number];

export function ScoresTab({ id, skeleton }: { id: string; skeleton: Skeleton }) {
  const head = useQuery(asked('run', { id }, {}));
  const evaluations = useQuery(asked('evaluations', { id }, {}));
  const run = head.data?.run;
  const points = useMemo(() => pointsOf(skeleton, evaluations.data?.evaluations ?? []), [skeleton, evaluations.data]);
  return (
    <Shown of={evaluations} what="evaluations">
      {({ evaluations: all }) =>
        all.length === 0 ? (
          <Empty title="No evaluations">
            <p>The agent has neither validated nor submitted.</p>
          </Empty>
        ) : (
          <>
            {points.length > 0 && <Scores head={head.data} points={points} />}
            <h2>Evaluations</h2>
            <Evaluations id={id} evaluations={all} primary={run?.primary} />
            <Ladder id={id} direction={run?.direction ?? 'maximize'} />
          </>
        )
      }
    </Shown>
  );
}

function pointsOf({ columns: { step, at, costUsd } }: Skeleton, evaluations: readonly Evaluation[]): ScoredPoint[] {
  let sum = 0;
  const costs = costUsd.map((cost) => (sum += Number(cost)));
  return evaluations.flatMap((one) => {
    if (one.primary === null || one.split !== 'test') return [];
    const place = step.indexOf(one.step);
    return [
      {
        name: `step ${one.step}, ${words(one.kind)}: ${formatScore(one.primary)}${one.suspect ? ', suspect' : ''}`,
        step: one.step,
        time: place === -1 ? 0 : at[place]! - at[0]!,
        cost: place === -1 ? 0 : costs[place]!,
        score: one.primary,
        kind: one.kind,
        suspect: one.suspect,
      },
    ];
  });
}

function Scores({ head, points }: { head: Answer<'run'> | undefined; points: readonly ScoredPoint[] }) {
  const { over = 'step' } = useSearch({ from: '/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const change = useChange('/runs/$id');
  const run = head?.run;
  const best = head?.bestOfTask ?? null;
  const chart = useMemo(
    () =>
      scoresChart(points, over, plainText(run?.primary ?? 'score'), [
        ...(run?.baseline == null ? [] : [{ name: 'baseline', value: run.baseline }]),
        ...(best === null || best.runId === run?.runId ? [] : [{ name: 'best', value: best.score }]),
      ]),
    [points, over, run, best],
  );
  return (
    <>
      <div className="toolbar">
        <Choice
          label="Over"
          value={over}
          options={[
            ['step', 'steps'],
            ['time', 'time'],
            ['cost', 'cost'],
          ]}
          onChange={(one) => change({ over: one }, true)}
        />
      </div>
      <ChartView
        chart={chart}
        onClick={(name) => {
          const step = Number(/^step (\d+)/.exec(name)?.[1]);
          if (Number.isInteger(step)) void navigate({ search: { step } });
        }}
      />
    </>
  );
}

const Evaluations = ({
  id,
  evaluations,
  primary,
}: {
  id: string;
  evaluations: readonly Evaluation[];
  primary: string | undefined;
}) => (
  <Table
    label="Evaluations"
    rows={evaluations}
    rowKey={(one) => `${one.number} ${one.split} ${one.kind}`}
    columns={[
      { title: 'No.', right: true, cell: (one) => one.number },
      {
        title: 'Step',
        cell: ({ step, fromStep }) => (
          <>
            <StepLink id={id} step={step} />
            {fromStep !== null && <span className="muted"> of step {fromStep}</span>}
          </>
        ),
      },
      { title: 'Kind', cell: (one) => words(one.kind) },
      { title: 'Split', cell: (one) => one.split },
      { title: 'Status', cell: (one) => <Status of={one} /> },
      {
        title: primary === undefined ? 'score' : <Text value={primary} />,
        right: true,
        cell: (one) => (
          <strong>
            <Score value={one.primary} />
          </strong>
        ),
      },
      {
        title: 'Metrics',
        cell: ({ metrics }) =>
          Object.entries(metrics ?? {}).map(([name, value]) => (
            <span key={name} className="metric">
              <Text value={name} /> <Score value={value} />
            </span>
          )),
      },
      {
        title: 'Submission',
        cell: ({ submissionSha256: sha256 }) =>
          sha256 === null ? <span className="none">–</span> : <code title={sha256}>{sha256.slice(0, 8)}</code>,
      },
      { title: 'Isolation', cell: (one) => one.isolation },
      { title: 'Took', right: true, cell: (one) => formatDuration(one.ms) },
      { title: 'At', cell: (one) => <Time at={one.at} /> },
      { title: 'Message', className: 'wrap clamp', cell: (one) => <Text value={one.fault ?? one.message} /> },
    ]}
  />
);

const Status = ({ of: { status, suspect } }: { of: Evaluation }) => (
  <>
    <Badge tone={status === 'ok' ? 'good' : 'bad'} mark={status === 'ok' ? '✓' : '✕'}>
      {words(status)}
    </Badge>
    {suspect && (
      <Badge tone="warn" mark="⚠">
        suspect
      </Badge>
    )}
  </>
);
