import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../data/ask.js';
import { Time } from '../parts/clock.js';
import { count, percent, usd, words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { Badge, Duration, Money } from '../parts/values.js';

/** Each question to the model, and whether their sum is the run's cost. */
export function CallsTab({ id }: { id: string }) {
  const pages = useInfiniteQuery({
    queryKey: ['calls', id] as const,
    queryFn: ({ signal, pageParam }) =>
      ask('calls', { id }, { limit: 200, ...(pageParam === null ? {} : { after: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
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
              {count(sums.calls)} calls cost <Money usd={sums.costUsd} />
              {equal ? ", which is the run's cost" : `; the run says ${usd(sums.runCostUsd)}`}.
            </p>
            <Table
              label="Model calls"
              rows={calls}
              rowKey={(call) => `${call.step} ${call.try} ${call.attempt}`}
              columns={[
                {
                  title: 'Step',
                  cell: (call) => (
                    <Link to="/runs/$id" params={{ id }} search={{ step: call.step }}>
                      {call.step}
                    </Link>
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
                {
                  title: 'Status',
                  cell: (call) => (
                    <Badge
                      tone={call.status === 'confirmed' ? 'good' : call.status === 'failed' ? 'bad' : 'warn'}
                      mark={call.status === 'confirmed' ? '✓' : call.status === 'failed' ? '✕' : '◔'}
                    >
                      {call.status}
                    </Badge>
                  ),
                },
                {
                  title: 'In',
                  right: true,
                  cell: (call) => (call.inputTokens === null ? '–' : count(call.inputTokens)),
                },
                {
                  title: 'Cached',
                  right: true,
                  cell: (call) =>
                    call.cachedTokens === null || call.inputTokens === null || call.inputTokens === 0
                      ? '–'
                      : percent(call.cachedTokens / call.inputTokens),
                },
                {
                  title: 'Out',
                  right: true,
                  cell: (call) => (call.outputTokens === null ? '–' : count(call.outputTokens)),
                },
                {
                  title: 'Reasoning',
                  right: true,
                  cell: (call) => (call.reasoningTokens === null ? '–' : count(call.reasoningTokens)),
                },
                { title: 'Cost', right: true, cell: (call) => <Money usd={call.costUsd} /> },
                { title: 'Took', right: true, cell: (call) => <Duration ms={call.ms} /> },
                { title: 'Waited', right: true, cell: (call) => <Duration ms={call.waitedMs} /> },
                {
                  title: 'Finish',
                  cell: (call) => <>{call.finishReason === null ? '' : <Text value={words(call.finishReason)} />}</>,
                },
                { title: 'At', cell: (call) => <Time at={call.at} /> },
                {
                  title: 'Error',
                  className: 'wrap',
                  cell: (call) =>
                    call.error === null ? (
                      call.usageProblem === null ? (
                        ''
                      ) : (
                        <Text value={call.usageProblem} />
                      )
                    ) : (
                      <Text value={`${call.error}${call.errorDetail === null ? '' : `: ${call.errorDetail}`}`} />
                    ),
                },
              ]}
            />
            {pages.hasNextPage && (
              <button type="button" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                more calls
              </button>
            )}
          </>
        );
      }}
    </Shown>
  );
}
