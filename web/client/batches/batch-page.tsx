import {
  formatCount,
  formatDuration,
  formatPercent,
  formatScore,
  formatUsd,
  plural,
} from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import { useLive } from '../live/live.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { EventTable } from '../parts/event-table.js';
import { time, words } from '../parts/format.js';
import { JsonView } from '../parts/json-view.js';
import { Empty, Failure, Loading, Shown } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Scroll, Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, Facts, Money, RunLink, Score } from '../parts/values.js';
import { type Action, LabelsOf, Steering } from '../steering/steering.js';
import { Waiting } from '../run/waiting.js';
import { BatchState, EndsBar } from './batches-page.js';
import { inFlightChart, spendChart } from './spend-chart.js';

type Head = Answer<'batch'>;
const TABS = [
  { name: 'matrix', title: 'Models × tasks' },
  { name: 'spend', title: 'Spend' },
  { name: 'ends', title: 'Ends' },
  { name: 'events', title: 'Events' },
  { name: 'submission', title: 'Submission' },
] as const;

export function BatchPage() {
  const { id: given } = useParams({ from: '/batches/$id' });
  const search = useSearch({ from: '/batches/$id' });
  const navigate = useNavigate({ from: '/batches/$id' });
  const head = useQuery(asked('batch', { id: given }, {}));
  const batch = head.data?.batch;
  useTitle(batch === undefined ? given : (batch.name ?? batch.batchId));
  useLive(
    batch === undefined || batch.status === 'ended' || batch.status === 'cancelled' ? null : `batch:${batch.batchId}`,
  );
  useEffect(() => {
    if (batch !== undefined && batch.batchId !== given)
      void navigate({ to: '/batches/$id', params: { id: batch.batchId }, search: (now) => now, replace: true });
  }, [batch, given, navigate]);
  const tab = search.tab ?? 'matrix';
  useKeys(
    'Batch',
    TABS.map(({ name, title }, i) => ({
      keys: String(i + 1),
      does: title,
      run: () => void navigate({ search: (now) => ({ ...now, tab: name }) }),
    })),
  );
  if (head.error !== null && head.data === undefined)
    return <Failure page={`Batch ${given}`} error={head.error} retry={() => void head.refetch()} />;
  if (head.data === undefined || batch === undefined) return <Loading what="the batch" rows={12} />;
  const id = batch.batchId;
  return (
    <div className="page">
      <BatchHead head={head.data} />
      <Tabs
        label="Parts of the batch"
        tabs={TABS}
        chosen={tab}
        onChoose={(name) => void navigate({ search: (now) => ({ ...now, tab: name }) })}
        more={
          <Link to="/runs" search={{ batch: [id] }}>
            All its runs
          </Link>
        }
      >
        {tab === 'matrix' ? (
          <Matrix id={id} />
        ) : tab === 'spend' ? (
          <Spend id={id} />
        ) : tab === 'ends' ? (
          <Ends head={head.data} />
        ) : tab === 'events' ? (
          <Events id={id} />
        ) : (
          <JsonView value={head.data.specification} label="as submitted" />
        )}
      </Tabs>
    </div>
  );
}

function BatchHead({ head: { batch, ends, forecast } }: { head: Head }) {
  const running = batch.status === 'running' || batch.status === 'queued';
  const actions: Action[] = running
    ? [batch.pausedAt === null ? 'pause' : 'resume', 'budget', 'retry', 'label', 'cancel']
    : ['retry', 'resume', 'label'];
  return (
    <section className="head" aria-label="Batch">
      <div className="page-head">
        <h1>{batch.name === null ? batch.batchId : <Text value={batch.name} />}</h1>
        <BatchState batch={batch} />
        <span className="grow" />
        <Steering of="batches" id={batch.batchId} actions={actions} labels={batch} />
      </div>
      <LabelsOf note={batch.note} tags={batch.tags} />
      {batch.pauseReason !== null && (
        <p className="warn">
          It paused itself: <Text value={batch.pauseReason} />.
        </p>
      )}
      <div className="big-bar">
        <EndsBar batch={{ ends, totalRuns: batch.totalRuns }} />
      </div>
      <EndsWords ends={ends} toCome={batch.totalRuns - batch.ended} />
      <dl className="headline">
        <Facts
          of={{
            'runs ended': (
              <span className="number">
                {formatCount(batch.ended)}
                <span className="muted"> of {formatCount(batch.totalRuns)}</span>
              </span>
            ),
            cost: <Money usd={batch.costUsd} />,
            budget: batch.budgetUsd === null ? 'none' : <Budget of={batch} />,
            expected: running && (
              <>
                {forecast.remainingMs === null ? 'not known yet' : `${formatDuration(forecast.remainingMs)} more`}
                {forecast.expectedUsd !== null && (
                  <span className="muted">, {formatUsd(forecast.expectedUsd)} in all</span>
                )}
              </>
            ),
            steps: <span className="number">{formatCount(batch.steps)}</span>,
            concurrency: batch.concurrency,
            priority: batch.priority,
            seed: batch.seed,
            created: <Time at={batch.createdAt} />,
            ended: batch.endedAt !== null && <Time at={batch.endedAt} />,
          }}
        />
      </dl>
      {running && <BatchWaits batch={batch} />}
      <p className="head-more">
        <code className="muted">{batch.batchId}</code>
        <span className="muted">
          <code>bench status {batch.batchId}</code>
        </span>
      </p>
    </section>
  );
}

const EndsWords = ({ ends, toCome }: { ends: Head['ends']; toCome: number }) => (
  <p className="ends-words">
    {(
      [
        ['good', '✓', ends.complete, 'complete'],
        ['info', '◑', ends.incomplete, 'incomplete'],
        ['bad', '✕', ends.failed, 'failed'],
        ['warn', '▲', ends.infra, 'ended by a fault'],
        ['quiet', '◌', ends.cancelled, 'cancelled'],
        ['quiet', '○', toCome, 'to come'],
      ] as const
    )
      .filter(([, , amount]) => amount > 0)
      .map(([tone, mark, amount, name]) => (
        <Badge key={name} tone={tone} mark={mark}>
          {formatCount(amount)} {name}
        </Badge>
      ))}
  </p>
);

const Budget = ({ of: { chargedUsd, budgetUsd } }: { of: Head['batch'] }) => (
  <>
    <Money usd={chargedUsd} /> <span className="muted">of</span> <Money usd={budgetUsd} />{' '}
    <span className="muted">({formatPercent(Number(chargedUsd) / Math.max(1e-9, Number(budgetUsd)))})</span>
  </>
);

/** What providers said, and what keeps the first waiting run. */
function BatchWaits({ batch }: { batch: Head['batch'] }) {
  const waitingRuns = useQuery(
    asked(
      'runs',
      {},
      { batch: [batch.batchId], status: ['queued', 'waiting_gpu', 'waiting_host'], sort: 'createdAt', limit: 1 },
    ),
  );
  const first = waitingRuns.data?.runs[0]?.runId;
  const waiting = useQuery({
    ...asked('waiting', { id: first ?? '' }, {}),
    enabled: first !== undefined,
    refetchInterval: 10_000,
  });
  return (
    <>
      {batch.providerErrors.map((trouble) => (
        <ul key={`${trouble.model} ${trouble.error}`} className="waiting" aria-label="What providers said">
          <li>
            <span aria-hidden="true">◔ </span>
            {plural(trouble.runs, 'run')} of <Text value={trouble.model} /> wait for an answer:{' '}
            <Text value={`${trouble.error}: ${trouble.detail}`} />
            {trouble.nextTryAt !== null && (
              <>
                , requested again <Time at={trouble.nextTryAt} />
              </>
            )}
          </li>
        </ul>
      ))}
      {first !== undefined && waiting.data !== undefined && waiting.data.waiting.length > 0 && (
        <>
          <p className="muted">
            The first run that waits, <RunLink id={first} />:
          </p>
          <Waiting waiting={waiting.data.waiting} />
        </>
      )}
    </>
  );
}

function Matrix({ id }: { id: string }) {
  const matrix = useQuery(asked('batchMatrix', { id }, {}));
  return (
    <Shown of={matrix} what="models and tasks">
      {({ models, tasks, cells }) => {
        if (cells.length === 0) return <Empty title="No run has been submitted yet" />;
        const found = new Map(cells.map((cell) => [JSON.stringify([cell.model, cell.task]), cell]));
        const bests = new Map(
          tasks.map(({ task, direction }) => {
            const all = cells.flatMap((cell) => (cell.task === task && cell.best !== null ? [cell.best] : []));
            return [task, all.length === 0 ? null : direction === 'maximize' ? Math.max(...all) : Math.min(...all)];
          }),
        );
        return (
          <Scroll label="Models by tasks">
            <table className="matrix">
              <thead>
                <tr>
                  <th>Model</th>
                  {tasks.map(({ task, primary, direction, baseline }) => (
                    <th key={task}>
                      <Text value={task} />
                      <span className="sub">
                        <Text value={primary} /> {direction === 'maximize' ? '↑' : '↓'}
                        {baseline !== null && `, baseline ${formatScore(baseline)}`}
                      </span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {models.map((model) => (
                  <tr key={model}>
                    <th scope="row">
                      <Text value={model} />
                    </th>
                    {tasks.map(({ task }) => {
                      const cell = found.get(JSON.stringify([model, task]));
                      return (
                        <td key={task}>
                          {cell === undefined ? (
                            <span className="none">–</span>
                          ) : (
                            <Cell id={id} cell={cell} best={bests.get(task) ?? null} />
                          )}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        );
      }}
    </Shown>
  );
}

function Cell({ id, cell, best }: { id: string; cell: Answer<'batchMatrix'>['cells'][number]; best: number | null }) {
  return (
    <div className={`cell ${cell.best !== null && cell.best === best ? 'best' : ''}`}>
      <span className="cell-score">
        {cell.bestRun === null ? (
          <span className="none">no score</span>
        ) : (
          <RunLink id={cell.bestRun}>
            <Score value={cell.best} />
          </RunLink>
        )}
        {cell.suspect > 0 && (
          <span className="warn" title={plural(cell.suspect, 'suspect evaluation')}>
            {' '}
            ⚠
          </span>
        )}
      </span>
      <Link to="/runs" search={{ batch: [id], model: [cell.model], task: [cell.task] }} className="cell-runs">
        <span className="number">
          {cell.ended}/{cell.runs}
        </span>{' '}
        ended
        {cell.running > 0 && `, ${cell.running} running`}
        {cell.waiting > 0 && `, ${cell.waiting} waiting`}
      </Link>
      {cell.faults > 0 && <span className="warn">▲ {plural(cell.faults, 'fault')}</span>}
      <span className="muted">
        <Money usd={cell.costUsd} />
        {cell.forecast.remainingMs !== null &&
          cell.ended < cell.runs &&
          `, ${formatDuration(cell.forecast.remainingMs)} more`}
      </span>
    </div>
  );
}

function Spend({ id }: { id: string }) {
  const spend = useQuery(asked('batchSpend', { id }, {}));
  return (
    <Shown of={spend} what="what was spent">
      {(data) =>
        data.buckets.length === 0 ? <Empty title="Nothing has been spent yet" /> : <SpendCharts data={data} />
      }
    </Shown>
  );
}

function SpendCharts({ data }: { data: Answer<'batchSpend'> }) {
  const charts = useMemo(() => [spendChart(data), inFlightChart(data)] as const, [data]);
  return (
    <>
      <ChartView chart={charts[0]}>
        <Table
          rows={data.buckets}
          rowKey={(bucket) => bucket.at}
          columns={[
            { title: 'From', cell: (bucket) => time(bucket.at) },
            { title: 'Spent', right: true, cell: (bucket) => <Money usd={bucket.costUsd} /> },
            { title: 'So far', right: true, cell: (bucket) => <Money usd={bucket.cumulativeUsd} /> },
            { title: 'In flight', right: true, cell: (bucket) => bucket.inFlight },
            { title: 'Ended', right: true, cell: (bucket) => bucket.ended },
          ]}
        />
      </ChartView>
      <ChartView chart={charts[1]} />
    </>
  );
}

function Ends({ head: { exits, faults, batch } }: { head: Head }) {
  return (
    <>
      <h2>How runs ended</h2>
      <Table
        none="None has ended yet."
        rows={exits}
        rowKey={(_, i) => i}
        columns={[
          { title: 'End', cell: (exit) => words(exit.endReason) },
          { title: 'Final evaluation', cell: (exit) => words(exit.finalEvaluation) },
          { title: 'Outcome', cell: (exit) => exit.outcome ?? '–' },
          { title: "In MLGym's words", cell: (exit) => <Text value={exit.status ?? '–'} /> },
          {
            title: 'Runs',
            right: true,
            cell: (exit) => (
              <Link to="/runs" search={{ batch: [batch.batchId], endReason: [exit.endReason] }}>
                {formatCount(exit.runs)}
              </Link>
            ),
          },
        ]}
      />
      <h2>Faults</h2>
      <Table
        none="None: no run was ended by the infrastructure or its configuration."
        rows={faults}
        rowKey={({ fault }) => fault}
        columns={[
          { title: 'Fault', className: 'wrap', cell: ({ fault }) => <Text value={fault} /> },
          { title: 'Runs', right: true, cell: ({ runs }) => formatCount(runs) },
          { title: 'First', cell: ({ firstRun }) => <RunLink id={firstRun} /> },
        ]}
      />
    </>
  );
}

function Events({ id }: { id: string }) {
  const events = useQuery(asked('batchEvents', { id }, { limit: 500 }));
  return (
    <Shown of={events} what="events">
      {({ events: all, next }) =>
        all.length === 0 ? (
          <Empty title="No events in this batch" />
        ) : (
          <>
            <EventTable events={all} label="Events of the batch" subject="run" />
            {next !== null && <p className="muted">The newest 500 are shown.</p>}
          </>
        )
      }
    </Shown>
  );
}
