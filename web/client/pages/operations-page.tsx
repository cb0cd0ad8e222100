import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EVENT_KINDS, type EventKind } from '../../../domain/event-kinds.js';
import { document as asked } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { Time } from '../parts/clock.js';
import { EventTable } from '../parts/event-table.js';
import { bytes, count, words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, RunLink } from '../parts/values.js';
import { Steering } from '../steering/steering.js';

const megabytes = (amount: number | null): string => bytes(amount === null ? null : amount * 1024 * 1024);

/** Does the fleet work, and is anything wasted? */
export function OperationsPage() {
  useTitle('Operations');
  useLive('ops');
  const search = useSearch({ from: '/ops' });
  const navigate = useNavigate({ from: '/ops' });
  const hosts = useQuery(asked('hosts', {}, {}));
  const leases = useQuery(asked('leases', {}, {}));
  const limits = useQuery(asked('limits', {}, {}));
  const events = useQuery(
    asked('events', {}, { limit: 200, ...(search.kind === undefined ? {} : { kind: search.kind }) }),
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>Operations</h1>
      </div>
      <h2>Hosts</h2>
      <Shown of={hosts} what="hosts" rows={3}>
        {({ hosts: all }) =>
          all.length === 0 ? (
            <Empty title="No host is registered" command="bench worker">
              <p>A host registers when its worker starts:</p>
            </Empty>
          ) : (
            <div className="scroll" tabIndex={0} role="region" aria-label="Hosts">
              <table className="wide">
                <thead>
                  <tr>
                    <th>Host</th>
                    <th>State</th>
                    <th className="right">Runs</th>
                    <th className="right">Slots</th>
                    <th className="right">Memory free</th>
                    <th className="right">Disk free</th>
                    <th>GPUs</th>
                    <th>Backends</th>
                    <th>Seen</th>
                    <th>Version</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {all.map((host) => (
                    <tr key={host.hostId}>
                      <td>
                        <Text value={host.hostname ?? host.hostId} />
                      </td>
                      <td>
                        <Badge
                          tone={
                            host.state === 'up'
                              ? 'good'
                              : host.state === 'drained' || host.state === 'removed'
                                ? 'quiet'
                                : 'warn'
                          }
                          mark={host.state === 'up' ? '●' : host.state === 'drained' ? '◌' : '▲'}
                        >
                          {host.state}
                        </Badge>
                        {host.paused !== null && (
                          <span className="sub muted">
                            <Text value={host.paused} />
                          </span>
                        )}
                      </td>
                      <td className="right number">{host.activeRuns}</td>
                      <td className="right number">{host.slots ?? '–'}</td>
                      <td className="right number">{megabytes(host.memoryFreeMb)}</td>
                      <td className="right number">
                        {megabytes(host.diskFreeMb)}
                        <span className="muted"> of {megabytes(host.diskTotalMb)}</span>
                      </td>
                      <td>
                        {host.gpus.length === 0 ? (
                          <span className="none">none</span>
                        ) : (
                          <Text value={host.gpus.join(', ')} />
                        )}
                      </td>
                      <td>
                        <Text value={host.backends.join(', ')} />
                      </td>
                      <td>
                        <Time at={host.seenAt} />
                      </td>
                      <td>{host.version === null ? '–' : <Text value={host.version} />}</td>
                      <td>
                        <Steering
                          of="hosts"
                          id={host.hostId}
                          actions={host.state === 'drained' ? ['undrain', 'remove'] : ['drain']}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      <h2>GPUs</h2>
      <Shown of={leases} what="GPU leases" rows={2}>
        {({ leases: held, waiting }) =>
          held.length + waiting.length === 0 ? (
            <p className="muted">None is held, and no run waits for one.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>Device</th>
                  <th>Run</th>
                  <th>Since</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {held.map(({ hostId, device, runId, grantedAt, revokedAt }) => (
                  <tr key={`${hostId} ${device} ${runId}`}>
                    <td>
                      <Text value={`${hostId} ${device}`} />
                    </td>
                    <td>
                      <RunLink id={runId} />
                    </td>
                    <td>
                      <Time at={grantedAt} />
                    </td>
                    <td>{revokedAt !== null && <span className="warn">taken back</span>}</td>
                  </tr>
                ))}
                {waiting.map(({ runId, gpus, waitingSince }) => (
                  <tr key={runId}>
                    <td className="muted">waits for {gpus}</td>
                    <td>
                      <RunLink id={runId} />
                    </td>
                    <td>
                      <Time at={waitingSince} />
                    </td>
                    <td />
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
      <h2>Provider accounts</h2>
      <Shown of={limits} what="rate limits" rows={2}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <p className="muted">No provider was called yet.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>Account</th>
                  <th className="right">Granted/min</th>
                  <th className="right">Last minute</th>
                  <th className="right">Waiting</th>
                  <th className="right">Refused, 1 h</th>
                  <th>Quiet until</th>
                </tr>
              </thead>
              <tbody>
                {accounts.map(({ account, granted, lastMinute, waiting, refusedLastHour, quietUntil }) => (
                  <tr key={account}>
                    <td>
                      <Text value={account} />
                    </td>
                    <td className="right number">
                      {granted.requests === null ? 'no limit' : count(granted.requests)} calls,{' '}
                      {granted.tokens === null ? 'no limit of' : count(granted.tokens)} tokens
                    </td>
                    <td className="right number">
                      {count(lastMinute.requests)} calls, {count(lastMinute.tokens)} tokens
                    </td>
                    <td className="right number">{waiting}</td>
                    <td className="right number">{refusedLastHour}</td>
                    <td>{quietUntil === null ? '–' : <Time at={quietUntil} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
      <div className="page-head">
        <h2>Events</h2>
        <label>
          Kind{' '}
          <select
            value={search.kind?.[0] ?? ''}
            onChange={(event) =>
              void navigate({ search: event.target.value === '' ? {} : { kind: [event.target.value as EventKind] } })
            }
          >
            <option value="">all</option>
            {EVENT_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {words(kind)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={events} what="events" rows={4}>
        {({ events: all }) =>
          all.length === 0 ? <p className="muted">None.</p> : <EventTable events={all} label="Events" subject="both" />
        }
      </Shown>
    </div>
  );
}
