import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { BATCH_STATUSES } from '../../../domain/run/outcomes.js';
import type { Answer } from '../../api/index.js';
import { useChange } from '../address/change.js';
import { pagesOf } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { Time } from '../parts/clock.js';
import { Choice, typed } from '../parts/fields.js';
import { formatCount, formatDuration, plural } from '../../../domain/text/format.js';
import { Page } from '../parts/page.js';
import { Empty, More, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, Bar, BatchLink, Money } from '../parts/values.js';

export type BatchRow = Answer<'batches'>['batches'][number];

export function EndsBar({ batch }: { batch: Pick<BatchRow, 'ends' | 'totalRuns'> }) {
  const { complete, incomplete, failed, infra, cancelled } = batch.ends;
  return (
    <Bar
      label="runs"
      total={batch.totalRuns}
      parts={[
        { name: 'complete', amount: complete, tone: 'good' },
        { name: 'incomplete', amount: incomplete, tone: 'info' },
        { name: 'failed', amount: failed, tone: 'bad' },
        { name: 'ended by a fault', amount: infra, tone: 'warn' },
        { name: 'cancelled', amount: cancelled, tone: 'quiet' },
      ]}
    />
  );
}

export function BatchState({ batch }: { batch: Pick<BatchRow, 'status' | 'pausedAt'> }) {
  if (batch.status === 'running' && batch.pausedAt !== null)
    return (
      <Badge tone="warn" mark="❚❚">
        paused
      </Badge>
    );
  const [tone, mark] = {
    queued: ['quiet', '○'],
    running: ['info', '●'],
    ended: ['good', '✓'],
    cancelled: ['quiet', '◌'],
  }[batch.status] as ['quiet', string];
  return (
    <Badge tone={tone} mark={mark}>
      {batch.status}
    </Badge>
  );
}

export function BatchesPage() {
  const search = useSearch({ from: '/batches' });
  useTitle('Batches');
  useLive('now');
  const pages = useInfiniteQuery({
    ...pagesOf('batches', {}, { ...search, limit: 100 }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Batches" head={<Filter total={pages.data?.pages[0]?.total} />}>
      <Shown of={pages} what="batches" rows={10}>
        {({ pages: all }) => {
          const batches = all.flatMap((page) => page.batches);
          if (batches.length > 0) return <Batches batches={batches} />;
          return Object.keys(search).length > 0 ? (
            <Empty title="No batch matches">
              <p>
                <Link to="/batches">Show all batches</Link>
              </p>
            </Empty>
          ) : (
            <Empty title="There are no batches yet" command="bench demo --page">
              <p>The demo submits one that needs no key:</p>
            </Empty>
          );
        }}
      </Shown>
      <More of={pages}>older batches</More>
    </Page>
  );
}

function Filter({ total }: { total: number | undefined }) {
  const { text = '', status } = useSearch({ from: '/batches' });
  const change = useChange('/batches');
  return (
    <>
      <span className="muted" role="status">
        {total === undefined ? '' : plural(total, 'batch', 'batches')}
      </span>
      <span className="grow" />
      <input
        type="search"
        data-search
        placeholder="name or id"
        aria-label="Filter batches by name or id"
        defaultValue={text}
        onChange={(event) => change({ text: typed(event) }, true)}
      />
      <Choice
        label="Status"
        value={status?.[0]}
        options={[[undefined, 'all'], ...BATCH_STATUSES]}
        onChange={(one) => change({ status: one && [one] })}
      />
    </>
  );
}

const Batches = ({ batches }: { batches: readonly BatchRow[] }) => (
  <Table
    label="Batches"
    wide
    rows={batches}
    rowKey={(batch) => batch.batchId}
    columns={[
      { title: 'Batch', cell: (batch) => <BatchLink id={batch.batchId} name={batch.name} /> },
      { title: 'Status', cell: (batch) => <BatchState batch={batch} /> },
      { title: 'Runs by end', className: 'bar-cell', cell: (batch) => <EndsBar batch={batch} /> },
      {
        title: 'Ended',
        right: true,
        cell: (batch) => (
          <Link to="/runs" search={{ batch: [batch.batchId] }}>
            {formatCount(batch.ended)}
            <span className="muted">/{formatCount(batch.totalRuns)}</span>
          </Link>
        ),
      },
      { title: 'Models', className: 'names', cell: (batch) => <Names names={batch.models} /> },
      { title: 'Tasks', className: 'names', cell: (batch) => <Names names={batch.tasks} /> },
      { title: 'Cost', right: true, cell: (batch) => <Money usd={batch.costUsd} /> },
      { title: 'Budget', right: true, cell: (batch) => <Money usd={batch.budgetUsd} /> },
      { title: 'Priority', right: true, cell: (batch) => batch.priority },
      { title: 'Seed', right: true, cell: (batch) => batch.seed },
      { title: 'Origin', cell: (batch) => batch.origin },
      { title: 'Created', right: true, cell: (batch) => <Time at={batch.createdAt} /> },
      {
        title: 'Took',
        right: true,
        cell: (batch) =>
          batch.startedAt === null
            ? '–'
            : formatDuration(Date.parse(batch.endedAt ?? new Date().toISOString()) - Date.parse(batch.startedAt)),
      },
    ]}
  />
);

function Names({ names }: { names: readonly string[] }) {
  return (
    <>
      <Text value={names.slice(0, 2).join(', ')} />
      {names.length > 2 && <span className="muted"> and {names.length - 2} more</span>}
    </>
  );
}
