import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Answer } from '../../api/index.js';
import { Time } from '../parts/clock.js';
import { words } from '../parts/format.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';

type Schedule = Answer<'schedules'>['schedules'][number];
type Run = Schedule['runs'][number];

/** When each is due, and what its last batches were against the accepted ones before them. */
export const Schedules = ({ schedules }: { schedules: readonly Schedule[] }) => (
  <Table
    label="Schedules"
    wide
    rows={schedules}
    rowKey={({ name }) => name}
    columns={[
      { title: 'Schedule', cell: ({ name }) => <Text value={name} /> },
      { title: 'Cron', cell: ({ cron }) => <Text value={cron} /> },
      {
        title: 'Next',
        cell: ({ paused, nextAt }) => (paused ? 'paused' : nextAt === null ? '–' : <Time at={nextAt} />),
      },
      {
        title: 'Last outcomes, newest first',
        cell: ({ runs }) =>
          runs.length === 0
            ? '–'
            : runs.map((run, nth) => (
                <Fragment key={run.dueAt}>
                  {nth > 0 && ', '}
                  <Outcome of={run} />
                </Fragment>
              )),
      },
    ]}
  />
);

function Outcome({ of: { outcome, batchId, baseBatchId, detail } }: { of: Run }) {
  const text = outcome === null ? 'plays' : words(outcome);
  if (batchId === null) return <Text value={detail === null ? text : `${text} (${detail})`} />;
  if (baseBatchId === null || outcome === null)
    return (
      <Link to="/batches/$id" params={{ id: batchId }}>
        {text}
      </Link>
    );
  return (
    <Link to="/compare" search={{ batches: [baseBatchId, batchId] }}>
      {outcome === 'worse' ? <strong>{text}</strong> : text}
    </Link>
  );
}
