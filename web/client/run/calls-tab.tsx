import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../data/ask.js';
import { Time } from '../parts/clock.js';
import { count, percent, usd, words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
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
            <div className="scroll" tabIndex={0} role="region" aria-label="Calls of the model">
              <table>
                <thead>
                  <tr>
                    <th>Step</th>
                    <th>Try</th>
                    <th>Status</th>
                    <th className="right">In</th>
                    <th className="right">Cached</th>
                    <th className="right">Out</th>
                    <th className="right">Reasoning</th>
                    <th className="right">Cost</th>
                    <th className="right">Took</th>
                    <th className="right">Waited</th>
                    <th>Finish</th>
                    <th>At</th>
                    <th>Error</th>
                  </tr>
                </thead>
                <tbody>
                  {calls.map((call) => (
                    <tr key={`${call.step} ${call.try} ${call.attempt}`}>
                      <td>
                        <Link to="/runs/$id" params={{ id }} search={{ step: call.step }}>
                          {call.step}
                        </Link>
                      </td>
                      <td className="number">
                        {call.try}
                        {call.attempt > 1 && <span className="muted">, attempt {call.attempt}</span>}
                      </td>
                      <td>
                        <Badge
                          tone={call.status === 'confirmed' ? 'good' : call.status === 'failed' ? 'bad' : 'warn'}
                          mark={call.status === 'confirmed' ? '✓' : call.status === 'failed' ? '✕' : '◔'}
                        >
                          {call.status}
                        </Badge>
                      </td>
                      <td className="right number">{call.inputTokens === null ? '–' : count(call.inputTokens)}</td>
                      <td className="right number">
                        {call.cachedTokens === null || call.inputTokens === null || call.inputTokens === 0
                          ? '–'
                          : percent(call.cachedTokens / call.inputTokens)}
                      </td>
                      <td className="right number">{call.outputTokens === null ? '–' : count(call.outputTokens)}</td>
                      <td className="right number">
                        {call.reasoningTokens === null ? '–' : count(call.reasoningTokens)}
                      </td>
                      <td className="right">
                        <Money usd={call.costUsd} />
                      </td>
                      <td className="right">
                        <Duration ms={call.ms} />
                      </td>
                      <td className="right">
                        <Duration ms={call.waitedMs} />
                      </td>
                      <td>{call.finishReason === null ? '' : <Text value={words(call.finishReason)} />}</td>
                      <td>
                        <Time at={call.at} />
                      </td>
                      <td className="wrap">
                        {call.error === null ? (
                          call.usageProblem === null ? (
                            ''
                          ) : (
                            <Text value={call.usageProblem} />
                          )
                        ) : (
                          <Text value={`${call.error}${call.errorDetail === null ? '' : `: ${call.errorDetail}`}`} />
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
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
