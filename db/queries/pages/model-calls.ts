import type { ModelCalls } from '../../../domain/views/run-head.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../../store/missing.js';
import { isoTime, isoTimeOrNull } from '../summaries.js';
import { cursorOf, placeOf } from './cursor.js';

type CallRow = Omit<ModelCalls['calls'][number], 'at' | 'retryAt'> & { at: Date; retryAt: Date | null };

/** Calls of the model, in their order. */
export async function modelCalls(
  run: Statements,
  runId: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<ModelCalls> {
  const [, step, tryNumber, attempt] = after === undefined ? ['calls', -1, 0, 0] : placeOf(after, 'calls', 4);
  const [rows, [sums]] = await Promise.all([
    run<CallRow>(
      'modelCalls',
      `select step, try, attempt, status, provider, model, endpoint, request_hash as "requestHash",
         request_messages as "requestMessages", finish_reason as "finishReason", input_tokens::float8 as "inputTokens",
         output_tokens::float8 as "outputTokens", cached_tokens::float8 as "cachedTokens",
         reasoning_tokens::float8 as "reasoningTokens", trim_scale(cost_usd)::text as "costUsd",
         trim_scale(reserved_usd)::text as "reservedUsd", usage_problem as "usageProblem", ms,
         greatest(0, extract(epoch from sent_at - created_at) * 1000)::float8 as "waitedMs", error, error_detail as "errorDetail",
         retry_at as "retryAt", created_at as at
       from model_calls where run_id = $1 and (step, try, attempt) > ($2::int, $3::int, $4::int)
       order by step, try, attempt limit $5`,
      [runId, step, tryNumber, attempt, limit + 1],
    ),
    run<ModelCalls['sums']>(
      'modelCallSums',
      `select count(c.*)::int as calls, trim_scale(coalesce(sum(c.cost_usd), 0))::text as "costUsd",
         -- Of a tree, whose nodes have their own calls, what it asked itself.
         trim_scale(r.cost_usd - coalesce(
           (select sum(o.cost_usd) from tree_nodes n join runs o on o.run_id = n.run_id where n.tree_run_id = r.run_id), 0
         ))::text as "runCostUsd"
       from runs r left join model_calls c on c.run_id = r.run_id and c.status = 'confirmed'
       where r.run_id = $1 group by r.run_id`,
      [runId],
    ),
  ]);
  if (sums === undefined) throw missingRun(runId);
  const calls = rows.slice(0, limit);
  const last = calls.at(-1);
  return {
    calls: calls.map((call) => ({ ...call, at: isoTime(call.at), retryAt: isoTimeOrNull(call.retryAt) })),
    next: rows.length > limit && last !== undefined ? cursorOf(['calls', last.step, last.try, last.attempt]) : null,
    sums,
  };
}
