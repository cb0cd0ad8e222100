import { NONE, formatCount, formatPercent, formatUsd } from '../../../domain/text/format.js';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/index.js';
import { pagesOf } from '../data/queries.js';
import { Time } from '../parts/clock.js';
import { words } from '../parts/format.js';
import { Empty, More, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { Badge, Duration, Money, StepLink } from '../parts/values.js';

type Call = Answer<'calls'>['calls'][number];

/** Each question to the model, and whether their sum is the run's cost. */
export function CallsTab({ id }: { id: string }) {
  const pages = useInfiniteQuery(pagesOf('calls', { id }, { limit: 200 }));
  return (
    <Shown of={pages} what="calls">
      {({ pages: all }) => {
        const { sums } = all[0]!;
        const calls = all.flatMap((page) => page.calls);
        if (calls.length === 0)
          return (
            <Empty title="No calls are recorded">
              <p>Scripted, replayed and imported runs have none.</p>
            </Empty>
          );
        const equal = Number(sums.costUsd) === Number(sums.runCostUsd);
        return (
          <>
            <p className={equal ? 'muted' : 'warn'}>
              {formatCount(sums.calls)} calls cost <Money usd={sums.costUsd} />
              {equal ? ", which is the run's cost" : `; the run says ${formatUsd(sums.runCostUsd)}`}.
            </p>
            <Calls id={id} calls={calls} />
            <More of={pages}>more calls</More>
          </>
        );
      }}
    </Shown>
  );
}

const known = (amount: number | null): string => (amount === null ? NONE : formatCount(amount));

const Calls = ({ id, calls }: { id: string; calls: readonly Call[] }) => (
  <Table
    label="Model calls"
    rows={calls}
    rowKey={(call) => `${call.step} ${call.try} ${call.attempt}`}
    columns={[
      {
        title: 'Step',
        cell: ({ step }) => (
          <StepLink id={id} step={step}>
            {step}
          </StepLink>
        ),
      },
      {
        title: 'Try',
        className: 'number',
        cell: (call) => (
          <>
            {call.try}
            {call.attempt > 1 && <span className="muted">, attempt {call.attempt}</span>}
          </>
        ),
      },
      { title: 'Status', cell: ({ status }) => <CallStatus status={status} /> },
      { title: 'In', right: true, cell: (call) => known(call.inputTokens) },
      {
        title: 'Cached',
        right: true,
        cell: ({ cachedTokens: cached, inputTokens: all }) =>
          cached === null || !all ? NONE : formatPercent(cached / all),
      },
      { title: 'Out', right: true, cell: (call) => known(call.outputTokens) },
      { title: 'Reasoning', right: true, cell: (call) => known(call.reasoningTokens) },
      { title: 'Cost', right: true, cell: (call) => <Money usd={call.costUsd} /> },
      { title: 'Took', right: true, cell: (call) => <Duration ms={call.ms} /> },
      { title: 'Waited', right: true, cell: (call) => <Duration ms={call.waitedMs} /> },
      {
        title: 'Finish',
        cell: ({ finishReason }) => finishReason !== null && <Text value={words(finishReason)} />,
      },
      { title: 'At', cell: (call) => <Time at={call.at} /> },
      { title: 'Error', className: 'wrap', cell: (call) => <CallError of={call} /> },
    ]}
  />
);

const CallStatus = ({ status }: { status: Call['status'] }) => (
  <Badge
    tone={status === 'confirmed' ? 'good' : status === 'failed' ? 'bad' : 'warn'}
    mark={status === 'confirmed' ? '✓' : status === 'failed' ? '✕' : '◔'}
  >
    {status}
  </Badge>
);

function CallError({ of: { error, errorDetail, usageProblem } }: { of: Call }) {
  const text = error === null ? usageProblem : errorDetail === null ? error : `${error}: ${errorDetail}`;
  return text !== null && <Text value={text} />;
}
