import { NONE, formatCount, formatPercent, plural } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Answer } from '../../api/index.js';
import { BatchState, EndsBar } from '../batches/batches-page.js';
import { NOW } from '../data/first-views.js';
import { document as asked } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { Time } from '../parts/clock.js';
import { EventTable } from '../parts/event-table.js';
import { words } from '../parts/format.js';
import { Page } from '../parts/page.js';
import { Empty, Shown } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, BatchLink, Fact, Facts, Money, RunLink } from '../parts/values.js';

export function NowPage() {
  useTitle('Now');
  useLive('now');
  const batches = useQuery({
    ...asked('batches', {}, NOW.batches),
    refetchInterval: 30_000,
  });
  const latest = useQuery(asked('batches', {}, NOW.latest));
  const active = useQuery({ ...asked('activeRuns', {}, {}), refetchInterval: 10_000 });
  const events = useQuery(asked('events', {}, NOW.events));
  return (
    <Page title="Now">
      <Needed batches={batches.data?.batches ?? []} />
      <Fleet active={active.data} />
      <h2>Running</h2>
      <Shown of={batches} what="running batches" rows={4}>
        {({ batches: running }) =>
          running.length === 0 ? (
            <Shown of={latest} what="batches" rows={4}>
              {({ batches: some, total }) =>
                total === 0 ? (
                  <Empty title="Nothing has been submitted yet" command="bench demo --page">
                    <p>The demo plays a few runs without a key; this page shows them as they play:</p>
                  </Empty>
                ) : (
                  <>
                    <p className="muted">No batch is running. The latest:</p>
                    <BatchList batches={some} />
                  </>
                )
              }
            </Shown>
          ) : (
            <BatchList batches={running} />
          )
        }
      </Shown>
      <h2>Latest events</h2>
      <Shown of={events} what="events" rows={4}>
        {({ events: all }) =>
          all.length === 0 ? (
            <p className="muted">No faults, retries or recoveries are recorded.</p>
          ) : (
            <EventTable events={all} label="The latest 20 events" subject="both" />
          )
        }
      </Shown>
    </Page>
  );
}

function BatchList({ batches }: { batches: Answer<'batches'>['batches'] }) {
  return (
    <ul className="cards" aria-label="Batches">
      {batches.map((batch) => (
        <li key={batch.batchId} className="card">
          <div className="card-head">
            <strong>
              <BatchLink id={batch.batchId} name={batch.name} />
            </strong>
            <BatchState batch={batch} />
            <span className="grow" />
            <span className="muted">
              <Time at={batch.createdAt} />
            </span>
          </div>
          <EndsBar batch={batch} />
          <p className="card-line">
            <Link to="/runs" search={{ batch: [batch.batchId] }}>
              <span className="number">
                {formatCount(batch.ended)} of {plural(batch.totalRuns, 'run')}
              </span>
            </Link>
            {Object.entries(batch.byStatus)
              .filter(([status, runs]) => status !== 'ended' && runs > 0)
              .map(([status, runs]) => (
                <span key={status} className="muted">
                  {formatCount(runs)} {words(status)}
                </span>
              ))}
            <span className="grow" />
            <Money usd={batch.costUsd} />
            {batch.budgetUsd !== null && (
              <span className="muted">
                of <Money usd={batch.budgetUsd} /> (
                {formatPercent(Number(batch.chargedUsd) / Math.max(1e-9, Number(batch.budgetUsd)))})
              </span>
            )}
          </p>
          <p className="muted card-names">
            <Text value={[batch.models.slice(0, 3).join(', '), batch.tasks.slice(0, 3).join(', ')].join(' on ')} />
            {batch.models.length + batch.tasks.length > 6 && ' …'}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Needed({ batches }: { batches: Answer<'batches'>['batches'] }) {
  const health = useQuery({ ...asked('health', {}, {}), refetchInterval: 15_000 });
  const hosts = useQuery({ ...asked('hosts', {}, {}), refetchInterval: 15_000 });
  const limits = useQuery({ ...asked('limits', {}, {}), refetchInterval: 15_000 });
  const needs: { key: string; said: React.ReactNode }[] = [
    ...(health.data?.status === 'services_lost' ? [{ key: 'services', said: 'Services do not answer.' }] : []),
    ...batches
      .filter(({ pausedAt }) => pausedAt !== null)
      .map(({ batchId, name, pausedAt, pauseReason }) => ({
        key: batchId,
        said: (
          <>
            <BatchLink id={batchId} name={name} /> is paused since <Time at={pausedAt} />
            {pauseReason === null ? '' : ': '}
            {pauseReason !== null && <Text value={pauseReason} />}.
          </>
        ),
      })),
    ...batches
      .filter(({ budgetUsd, chargedUsd }) => budgetUsd !== null && Number(chargedUsd) >= 0.95 * Number(budgetUsd))
      .map(({ batchId, name, budgetUsd }) => ({
        key: `${batchId} budget`,
        said: (
          <>
            <BatchLink id={batchId} name={name} /> has used up its budget of <Money usd={budgetUsd} />.
          </>
        ),
      })),
    ...(hosts.data?.hosts ?? [])
      .filter(({ state }) => state === 'silent' || state === 'lost' || state === 'paused')
      .map(({ hostId, state, pauseReason, seenAt }) => ({
        key: hostId,
        said: (
          <>
            Host <Text value={hostId} /> is {state}
            {pauseReason !== null && (
              <>
                : <Text value={pauseReason} />
              </>
            )}
            , seen <Time at={seenAt} />.
          </>
        ),
      })),
    ...(limits.data?.accounts ?? [])
      .filter(({ blockedUntil }) => blockedUntil !== null && Date.parse(blockedUntil) > Date.now())
      .map(({ account, blockedUntil, waiting }) => ({
        key: account,
        said: (
          <>
            Account <Text value={account} /> was refused: blocked until <Time at={blockedUntil} />,{' '}
            {plural(waiting, 'call')} waiting.
          </>
        ),
      })),
  ];
  if (health.data === undefined) return null;
  return needs.length === 0 ? (
    <p className="all-well">
      <Badge tone="good" mark="✓">
        nothing needs you
      </Badge>
    </p>
  ) : (
    <ul className="needs" aria-label="What needs a person">
      {needs.map(({ key, said }) => (
        <li key={key}>
          <span aria-hidden="true">▲ </span>
          {said}
        </li>
      ))}
    </ul>
  );
}

const ACTIVE = ['queued', 'waiting_gpu', 'waiting_host', 'starting', 'running', 'finishing'] as const;

function Fleet({ active }: { active: Answer<'activeRuns'> | undefined }) {
  const hosts = useQuery({ ...asked('hosts', {}, {}), refetchInterval: 15_000 });
  const leases = useQuery({ ...asked('leases', {}, {}), refetchInterval: 15_000 });
  const up = hosts.data?.hosts.filter(({ state }) => state === 'up' || state === 'paused');
  const sum = (of: (host: Answer<'hosts'>['hosts'][number]) => number): number | undefined =>
    up?.reduce((before, host) => before + of(host), 0);
  // Unknown is not zero.
  const known = (amount: number | undefined): string => (amount === undefined ? NONE : formatCount(amount));
  const used = (amount: number | undefined, all: number | undefined) => (
    <span className="number">
      {known(amount)}
      <span className="muted"> of {known(all)}</span>
    </span>
  );
  const first = leases.data?.waiting[0];
  return (
    <dl className="headline">
      {ACTIVE.map((status) => (
        <Fact key={status} name={words(status)}>
          <Link to="/runs" search={{ status: [status] }} className="number">
            {known(active?.runs[status])}
          </Link>
        </Fact>
      ))}
      <Facts
        of={{
          'hosts up': up?.length === 0 ? 'none' : known(up?.length),
          'slots used': used(
            sum(({ activeRuns }) => activeRuns),
            sum(({ slots }) => slots ?? 0),
          ),
          'GPUs in use': used(
            leases.data?.leases.length,
            sum(({ gpus }) => gpus.length),
          ),
          'wait for GPUs': first !== undefined && <RunLink id={first.runId}>{leases.data!.waiting.length}</RunLink>,
        }}
      />
    </dl>
  );
}
