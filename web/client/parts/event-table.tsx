import type { Answer } from '../../api/index.js';
import { Time } from './clock.js';
import { words } from './format.js';
import { Table } from './table.js';
import { Text } from './text.js';
import { BatchLink, RunLink } from './values.js';

type Event = Answer<'events'>['events'][number];

export const EventTable = ({
  events,
  label,
  subject,
}: {
  events: readonly Event[];
  label: string;
  subject: 'none' | 'run' | 'both';
}) => (
  <Table
    label={label}
    rows={events}
    rowKey={({ eventId }) => eventId}
    columns={[
      { title: 'At', cell: ({ at }) => <Time at={at} /> },
      { title: 'Event', cell: ({ kind }) => words(kind) },
      subject !== 'none' && { title: 'Run', cell: ({ runId }) => <>{runId === null ? '' : <RunLink id={runId} />}</> },
      subject === 'both' && {
        title: 'Batch',
        cell: ({ batchId }) => <>{batchId === null ? '' : <BatchLink id={batchId} />}</>,
      },
      { title: 'Detail', className: 'wrap', cell: ({ key, detail }) => <Text value={detail === '' ? key : detail} /> },
    ]}
  />
);
