import { formatBytes, formatCount } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EVENT_KINDS } from '../../../domain/run/event-kinds.js';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { Time } from '../parts/clock.js';
import { EventTable } from '../parts/event-table.js';
import { Choice } from '../parts/fields.js';
import { words } from '../parts/format.js';
import { Page } from '../parts/page.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, RunLink } from '../parts/values.js';
import { Schedules } from './schedules.js';
import { Steering } from '../steering/steering.js';

type Host = Answer<'hosts'>['hosts'][number];

const megabytes = (amount: number | null): string => formatBytes(amount === null ? null : amount * 1024 * 1024);

export function OperationsPage() {
  useTitle('Operations');
  useLive('ops');
  const hosts = useQuery(asked('hosts', {}, {}));
  const leases = useQuery(asked('leases', {}, {}));
  const schedules = useQuery(asked('schedules', {}, {}));
  const limits = useQuery(asked('limits', {}, {}));
  return (
    <Page title="Operations">
      <h2>Hosts</h2>
      <Shown of={hosts} what="hosts" rows={3}>
        {({ hosts: all }) =>
          all.length === 0 ? (
            <Empty title="No host is registered" command="bench worker">
              <p>A host registers when its worker starts:</p>
            </Empty>
          ) : (
            <Hosts hosts={all} />
          )
        }
      </Shown>
      <h2>GPUs</h2>
      <Shown of={leases} what="GPU leases" rows={2}>
        {(data) => <Gpus of={data} />}
      </Shown>
      <h2>Schedules</h2>
      <Shown of={schedules} what="schedules" rows={2}>
        {({ schedules: all }) =>
          all.length === 0 ? (
            <p className="muted">
              None: <code>bench schedule create</code> makes one.
            </p>
          ) : (
            <Schedules schedules={all} />
          )
        }
      </Shown>
      <h2>Provider accounts</h2>
      <Shown of={limits} what="rate limits" rows={2}>
        {({ accounts }) => <Accounts accounts={accounts} />}
      </Shown>
      <Events />
    </Page>
  );
}

const Hosts = ({ hosts }: { hosts: readonly Host[] }) => (
  <Table
    label="Hosts"
    wide
    rows={hosts}
    rowKey={(host) => host.hostId}
    columns={[
      { title: 'Host', cell: (host) => <Text value={host.hostname ?? host.hostId} /> },
      { title: 'State', cell: (host) => <HostState host={host} /> },
      { title: 'Runs', right: true, cell: (host) => host.activeRuns },
      { title: 'Slots', right: true, cell: (host) => host.slots ?? '–' },
      { title: 'Memory free', right: true, cell: (host) => megabytes(host.memoryFreeMb) },
      {
        title: 'Disk free',
        right: true,
        cell: (host) => (
          <>
            {megabytes(host.diskFreeMb)}
            <span className="muted"> of {megabytes(host.diskTotalMb)}</span>
          </>
        ),
      },
      {
        title: 'GPUs',
        cell: (host) =>
          host.gpus.length === 0 ? <span className="none">none</span> : <Text value={host.gpus.join(', ')} />,
      },
      { title: 'Backends', cell: (host) => <Text value={host.backends.join(', ')} /> },
      { title: 'Seen', cell: (host) => <Time at={host.seenAt} /> },
      { title: 'Version', cell: (host) => (host.version === null ? '–' : <Text value={host.version} />) },
      {
        cell: (host) => (
          <Steering
            of="hosts"
            id={host.hostId}
            actions={host.state === 'drained' ? ['undrain', 'remove'] : ['drain']}
          />
        ),
      },
    ]}
  />
);

const HostState = ({ host: { state, pauseReason } }: { host: Host }) => (
  <>
    <Badge
      tone={state === 'up' ? 'good' : state === 'drained' || state === 'removed' ? 'quiet' : 'warn'}
      mark={state === 'up' ? '●' : state === 'drained' ? '◌' : '▲'}
    >
      {state}
    </Badge>
    {pauseReason !== null && (
      <span className="sub muted">
        <Text value={pauseReason} />
      </span>
    )}
  </>
);

const Gpus = ({ of: { leases, waiting } }: { of: Answer<'leases'> }) => (
  <Table
    none="No GPU is in use, and no run waits for one."
    rows={[
      ...leases.map(({ hostId, device, runId, grantedAt, revokedAt }) => ({
        ...{ runId, since: grantedAt, back: revokedAt !== null },
        device: <Text value={`${hostId} ${device}`} />,
      })),
      ...waiting.map(({ runId, gpus, waitingSince }) => ({
        ...{ runId, since: waitingSince, back: false },
        device: <span className="muted">waits for {gpus}</span>,
      })),
    ]}
    rowKey={(_, i) => i}
    columns={[
      { title: 'Device', cell: ({ device }) => device },
      { title: 'Run', cell: ({ runId }) => <RunLink id={runId} /> },
      { title: 'Since', cell: ({ since }) => <Time at={since} /> },
      { cell: ({ back }) => back && <span className="warn">taken back</span> },
    ]}
  />
);

const Accounts = ({ accounts }: { accounts: Answer<'limits'>['accounts'] }) => (
  <Table
    none="No provider has been called yet."
    rows={accounts}
    rowKey={({ account }) => account}
    columns={[
      { title: 'Account', cell: ({ account }) => <Text value={account} /> },
      {
        title: 'Granted/min',
        right: true,
        cell: ({ effective }) => (
          <>
            {effective.requests === null ? 'no limit' : formatCount(effective.requests)} calls,{' '}
            {effective.tokens === null ? 'no limit of' : formatCount(effective.tokens)} tokens
          </>
        ),
      },
      {
        title: 'Last minute',
        right: true,
        cell: ({ lastMinute }) => (
          <>
            {formatCount(lastMinute.requests)} calls, {formatCount(lastMinute.tokens)} tokens
          </>
        ),
      },
      { title: 'Waiting', right: true, cell: ({ waiting }) => waiting },
      { title: 'Refused, 1 h', right: true, cell: ({ refusedLastHour }) => refusedLastHour },
      { title: 'Quiet until', cell: ({ blockedUntil }) => (blockedUntil === null ? '–' : <Time at={blockedUntil} />) },
    ]}
  />
);

function Events() {
  const { kind } = useSearch({ from: '/ops' });
  const navigate = useNavigate({ from: '/ops' });
  const events = useQuery(asked('events', {}, { limit: 200, ...(kind && { kind }) }));
  return (
    <>
      <div className="page-head">
        <h2>Events</h2>
        <Choice
          label="Kind"
          value={kind?.[0]}
          options={[[undefined, 'all'], ...EVENT_KINDS.map((one) => [one, words(one)] as const)]}
          onChange={(one) => void navigate({ search: one === undefined ? {} : { kind: [one] } })}
        />
      </div>
      <Shown of={events} what="events" rows={4}>
        {({ events: all }) =>
          all.length === 0 ? <p className="muted">None.</p> : <EventTable events={all} label="Events" subject="both" />
        }
      </Shown>
    </>
  );
}
