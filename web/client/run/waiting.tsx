import type { Answer } from '../../api/index.js';
import { Time } from '../parts/clock.js';
import { formatUsd, plural } from '../../../domain/text/format.js';
import { Text } from '../parts/text.js';
import { RunLink } from '../parts/values.js';

type Reason = Answer<'waiting'>['waiting'][number];

export function Waiting({ waiting }: { waiting: readonly Reason[] }) {
  if (waiting.length === 0) return null;
  return (
    <ul className="waiting" aria-label="Why it waits">
      {waiting.map((reason, i) => (
        <li key={i}>
          <span aria-hidden="true">◔ </span>
          <Words of={reason} />
          {reason.since !== null && (
            <span className="muted">
              {' '}
              since <Time at={reason.since} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Words({ of }: { of: Reason }) {
  switch (of.kind) {
    case 'paused':
      return of.pauseReason === null ? (
        <>Its batch is paused.</>
      ) : (
        <>
          Its batch paused itself: <Text value={of.pauseReason} />.
        </>
      );
    case 'concurrency':
      return (
        <>
          {of.concurrency} runs of its batch may be in flight at once, and are: {of.ahead} before it.
        </>
      );
    case 'gpu':
      return (
        <>
          It waits for {plural(of.gpus, 'GPU')}, {of.ahead} before it.{' '}
          {of.hosts.every(({ gpus }) => gpus < of.gpus) && 'No host has as many. '}
          {of.holders.length > 0 && (
            <>
              Held by{' '}
              {of.holders.map(({ hostId, device, runId }) => (
                <span key={`${hostId} ${device}`}>
                  <RunLink id={runId} /> (<Text value={hostId} />, <Text value={device} />){' '}
                </span>
              ))}
            </>
          )}
        </>
      );
    case 'host':
      return (
        <>
          No host accepts the run:{' '}
          {of.hosts.length === 0
            ? 'none is registered.'
            : of.hosts.map(({ hostId, state, reason }) => (
                <span key={hostId}>
                  <Text value={hostId} /> is {state} (<Text value={reason} />){' '}
                </span>
              ))}
        </>
      );
    case 'rate_limit':
      return (
        <>
          The rate limit of <Text value={of.account} />: {plural(of.ahead, 'call')} before its turn
          {of.blockedUntil !== null && (
            <>
              , blocked until <Time at={of.blockedUntil} />
            </>
          )}
          .
        </>
      );
    case 'provider':
      return (
        <>
          The provider does not answer: <Text value={`${of.trouble.error}: ${of.trouble.detail}`} />
        </>
      );
    case 'budget':
      return (
        <>
          The budget is spent: {formatUsd(of.chargedUsd)} of {formatUsd(of.budgetUsd)}. Raise it to continue.
        </>
      );
    case 'player':
      return (
        <>
          Step {of.step} waits for <Text value={of.provider} />.
        </>
      );
  }
}
