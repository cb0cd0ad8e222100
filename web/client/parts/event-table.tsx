import type { Answer } from '../../api/index.js';
import { Time } from './clock.js';
import { words } from './format.js';
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
  <div className="scroll" tabIndex={0} role="region" aria-label={label}>
    <table>
      <thead>
        <tr>
          <th>At</th>
          <th>Event</th>
          {subject !== 'none' && <th>Run</th>}
          {subject === 'both' && <th>Batch</th>}
          <th>Detail</th>
        </tr>
      </thead>
      <tbody>
        {events.map(({ eventId, at, kind, runId, batchId, key, detail }) => (
          <tr key={eventId}>
            <td>
              <Time at={at} />
            </td>
            <td>{words(kind)}</td>
            {subject !== 'none' && <td>{runId === null ? '' : <RunLink id={runId} />}</td>}
            {subject === 'both' && <td>{batchId === null ? '' : <BatchLink id={batchId} />}</td>}
            <td className="wrap">
              <Text value={detail === '' ? key : detail} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
