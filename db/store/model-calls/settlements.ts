import type { ModelReply } from '../../../domain/model/model.js';
import type { ModelCallKey, DearerAnswer, CallLedger } from '../../../domain/ports/record/call-ledger.js';
import type { CapturedCall } from '../../../domain/rollouts/captured-tokens.js';
import { type Statements, storable } from '../../statements.js';
import { eventsOf, eventRows } from '../events.js';
import { PAYER } from '../open-calls.js';
import { questionOf } from './question.js';

export async function settleCall(
  run: Statements,
  key: ModelCallKey,
  reply: ModelReply,
  ms: number,
  { dearer, attempt }: { dearer?: DearerAnswer | undefined; attempt?: number } = {},
): Promise<void> {
  const [row] = await run<{ known: boolean }>(
    'settleCall',
    `with latest as (
           select attempt from model_calls where run_id = $1 and step = $2 and try = $3
           order by attempt desc limit 1
           for update
         ), settled as (
           update model_calls c set
             status = 'confirmed', response = $4, finish_reason = $5, input_tokens = $6, output_tokens = $7,
             cached_tokens = $8, reasoning_tokens = $9, cost_usd = $10, ms = $11, cache_write_tokens = $12, cache_write_hour_tokens = $26,
             usage_problem = $13, tool_calls = $14::jsonb, reasoning = $25, error = null, ended_at = now()
           from latest
           where c.run_id = $1 and c.step = $2 and c.try = $3 and c.attempt = latest.attempt
             and ($24::int is null or c.attempt = $24) and c.status <> 'confirmed'
             and not exists (
               select from model_calls other
               where other.run_id = $1 and other.step = $2 and other.try = $3 and other.status = 'confirmed'
             )
           returning c.run_id, c.reserved_usd
         ), charged as (
           update batches b set charged_usd = b.charged_usd + $10::numeric - settled.reserved_usd
           from settled join runs r on r.run_id = settled.run_id join batches own on own.batch_id = r.batch_id
           where b.batch_id = ${PAYER} and b.budget_usd is not null
         ), counted as (
           update runs r set
             input_tokens = r.input_tokens + $6, output_tokens = r.output_tokens + $7,
             cached_tokens = r.cached_tokens + $8, reasoning_tokens = r.reasoning_tokens + $9,
             cache_write_tokens = r.cache_write_tokens + $12,
             cache_write_hour_tokens = r.cache_write_hour_tokens + $26, cost_usd = r.cost_usd + $10,
             answered_calls = r.answered_calls + 1, updated_at = now()
           from settled where r.run_id = settled.run_id
         ), raised as (
           insert into reservation_factors as f (account, model, factor)
           select $15, $16, $17::numeric from settled where $15::text is not null
           on conflict (account, model) do update set factor = excluded.factor, updated_at = now()
           where f.factor < excluded.factor
         ), recorded as (${eventsOf('settled', '$18')}
         ), kept as (
           insert into captured_calls (run_id, step, try, level, prompt_token_ids, token_ids, logprobs, request)
           select $1, $2, $3, $19, $20::int[], $21::int[], $22::float8[], $23::jsonb from settled where $19::text is not null
           on conflict do nothing
         )
         select exists (select from latest) as known`,
    [
      key.runId,
      key.step,
      key.try,
      storable(reply.text),
      storable(reply.finishReason),
      ...[reply.usage.inputTokens, reply.usage.outputTokens, reply.usage.cachedTokens, reply.usage.reasoningTokens],
      reply.costUsd,
      ms,
      reply.usage.cacheWriteTokens ?? 0,
      reply.usageProblem === undefined ? null : storable(reply.usageProblem),
      reply.toolCalls === undefined ? null : storable(JSON.stringify(reply.toolCalls)),
      dearer?.account ?? null,
      dearer?.model ?? null,
      dearer?.factor ?? null,
      eventRows(dearer === undefined ? [] : [dearer.event]),
      ...capturedColumns(reply.captured),
      attempt ?? null,
      reply.reasoning ?? null,
      reply.usage.cacheWriteHourTokens ?? 0,
    ],
  ).catch((error: unknown) => {
    // A concurrent attempt of the same question was settled; that one counts.
    if (error instanceof Error && 'constraint' in error && error.constraint === 'model_calls_one_answer')
      return [{ known: true }];
    throw error;
  });
  if (row?.known !== true) throw new Error(`${questionOf(key)}: answer to a call that was never reserved`);
}

export async function failCall(
  run: Statements,
  key: ModelCallKey,
  errorType: string,
  billed: 'no' | 'unknown',
  { event, detail, retryAt, attempt }: Parameters<CallLedger['failCall']>[3] = {},
): Promise<void> {
  await run(
    'failCall',
    `with failed as (
           update model_calls set status = $5, error = $4, ended_at = now(), error_detail = $7, retry_at = $8
           where run_id = $1 and step = $2 and try = $3 and status in ('reserved', 'unconfirmed')
             and attempt = (select max(attempt) from model_calls where run_id = $1 and step = $2 and try = $3)
             and ($9::int is null or attempt = $9)
           returning run_id, reserved_usd, status
         ), recorded as (${eventsOf('failed', '$6')})
         update batches b set charged_usd = b.charged_usd - failed.reserved_usd
         from failed join runs r on r.run_id = failed.run_id join batches own on own.batch_id = r.batch_id
         where b.batch_id = ${PAYER} and b.budget_usd is not null and failed.status = 'failed'`,
    [
      key.runId,
      key.step,
      key.try,
      storable(errorType),
      billed === 'no' ? 'failed' : 'unconfirmed',
      eventRows(event === undefined ? [] : [event]),
      detail === undefined ? null : storable(detail),
      retryAt ?? null,
      attempt ?? null,
    ],
  );
}

const capturedColumns = (captured: CapturedCall | undefined): unknown[] =>
  captured === undefined
    ? [null, null, null, null, null]
    : [
        ...[captured.level, captured.promptTokenIds, captured.tokenIds, captured.logprobs],
        JSON.stringify(captured.request, (_key, value: unknown) =>
          typeof value === 'string' ? storableText(value) : value,
        ),
      ];

/** PostgreSQL's JSON refuses NUL and lone surrogates. */
const storableText = (text: string): string =>
  storable(text).replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
