import { useQuery } from '@tanstack/react-query';
import { document as asked } from '../data/queries.js';
import { EventTable } from '../parts/event-table.js';
import { Empty, Shown } from '../parts/states.js';

export function EventsTab({ id }: { id: string }) {
  const events = useQuery(asked('runEvents', { id }, { limit: 1000 }));
  return (
    <Shown of={events} what="events">
      {({ events: all, next }) =>
        all.length === 0 ? (
          <Empty title="No events in this run">
            <p>Faults, retries and recoveries are listed here.</p>
          </Empty>
        ) : (
          <>
            <EventTable events={all} label="Events of the run" subject="none" />
            {next !== null && <p className="muted">The newest 1,000 are shown.</p>}
          </>
        )
      }
    </Shown>
  );
}
