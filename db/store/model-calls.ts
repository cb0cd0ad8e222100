import type { ModelReply, ToolCall } from '../../domain/model.js';
import type { CapturedCall } from '../../domain/rollouts/captured-tokens.js';
import type { ModelCallKey } from '../../domain/ports/record/call-ledger.js';
import type { RunStore } from '../../domain/ports/run-store.js';
import { Stale, Superseded } from '../../domain/errors.js';
import { requestHash } from '../../domain/request-hash.js';
import { type Statements, storable } from '../statements.js';
import { eventRows, eventsOf } from './events.js';
import { missingRun } from './missing.js';
import { PAYER, releaseUnsent } from './open-calls.js';
import { isFenced } from './steps/fences.js';
import { untilSettled } from './until-settled.js';

interface AnswerRow {
  response: string | null;
  finish_reason: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  cache_write_tokens: number | null;
  tool_calls: ToolCall[] | null;
  cost_usd: string | null;
  ms: number | null;
}
interface ReservedRow extends AnswerRow {
  attempt: number | null;
  cut_off: number;
  unsent: number;
  capped: boolean;
  fenced: boolean;
  elsewhere: string | null;
  givesUpInMs: number | null;
  ended: boolean;
}

/** Columns of an AnswerRow, from a `model_calls` row (or none) with the alias `answer`. */
const ANSWER = `answer.response, answer.finish_reason, answer.input_tokens::float8, answer.output_tokens::float8,
  answer.cached_tokens::float8, answer.reasoning_tokens::float8, answer.cache_write_tokens::float8, answer.tool_calls,
  trim_scale(answer.cost_usd)::text as cost_usd, answer.ms`;

const questionOf = (key: ModelCallKey) => `run ${key.runId}, step ${key.step}, try ${key.try}`;

/** The ledger of calls: a question is answered, and paid, once. */
export function modelCallStore(
  run: Statements,
): Pick<
  RunStore,
  | 'reserveCall'
  | 'sendingCall'
  | 'releaseUnsent'
  | 'reservationFactor'
  | 'modelHasAnswered'
  | 'storedAnswer'
  | 'settleCall'
  | 'failCall'
  | 'spending'
> {
  /** Would there be room if every call in flight of the batch cost nothing? */
  const mayHaveRoom = async (runId: string, wantedUsd: string): Promise<boolean> => {
    const [row] = await run<{ room: boolean }>(
      'mayHaveRoom',
      `select b.charged_usd + $2::numeric - open.amount <= b.budget_usd as room
       from runs me join batches own on own.batch_id = me.batch_id join batches b on b.batch_id = ${PAYER}
       cross join lateral (
         select coalesce(sum(c.reserved_usd), 0) as amount
         from model_calls c join runs r on r.run_id = c.run_id join batches own on own.batch_id = r.batch_id
         where ${PAYER} = b.batch_id and r.status <> 'ended' and c.status = 'reserved'
       ) open
       where me.run_id = $1`,
      [runId, wantedUsd],
    );
    return row?.room === true;
  };
  return {
    releaseUnsent: (runIds) => releaseUnsent(run, runIds),

    async reserveCall(key, request) {
      const hash = requestHash(request);
      return untilSettled(`reserveCall of ${questionOf(key)}`, async () => {
        const [row] = await run<ReservedRow>(
          'reserveCall',
          // The reservation is made under the lock of the batch's row, which is reread after waiting for the lock.
          `with account as (
             select b.batch_id, b.budget_usd is not null as capped, ${isFenced(11)} as fenced, r.status = 'ended' as ended
             from runs r join batches own on own.batch_id = r.batch_id join batches b on b.batch_id = ${PAYER}
             where r.run_id = $1
           ), answer as (
             select * from model_calls where run_id = $1 and step = $2 and try = $3 and status = 'confirmed'
           ), earlier as (
             select coalesce(max(attempt), 0) as last,
               count(*) filter (where status in ('reserved', 'unconfirmed')) as cut_off,
               -- Its worker gave it up: it is released first, then this statement is repeated.
               count(*) filter (where status = 'reserved' and sent_at is null) as unsent
             from model_calls where run_id = $1 and step = $2 and try = $3
           ), elsewhere as (
             select worker, gives_up_at from model_calls
             where run_id = $1 and step = $2 and try = $3 and status = 'reserved' and sent_at is not null
               and gives_up_at > now() and worker is distinct from $12 and worker <> all($14::text[])
             order by attempt desc limit 1
           ), gate as (
             select from account where fenced and not ended and (select unsent from earlier) = 0
               and not exists (select from elsewhere) and not exists (select from answer)
           ), cut as (
             update model_calls set status = 'unconfirmed', error = 'lost', ended_at = now()
             where run_id = $1 and step = $2 and try = $3 and status = 'reserved' and exists (select from gate)
           ), charged as (
             update batches b set charged_usd = b.charged_usd + $8::numeric
             where b.batch_id = (select batch_id from account where capped) and exists (select from gate)
               and b.charged_usd + $8::numeric <= b.budget_usd
             returning b.batch_id
           ), reserved as (
             insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, reserved_usd,
               endpoint, sent_at, worker, gives_up_at)
             select $1, $2, $3, earlier.last + 1, $4, $5, $6, $7::int, $8::numeric, $9, case when $10 then null else now() end,
               $12, now() + make_interval(secs => $13::float8 / 1000)
             from earlier, account
             where exists (select from gate) and (not account.capped or exists (select from charged))
             returning attempt
           ), refused as (
             -- As this statement saw it: a budget that was raised meanwhile may not have been looked at.
             update runs r set met_budget_usd = b.budget_usd from batches b
             where r.run_id = $1 and b.batch_id = (select batch_id from account where capped)
               and exists (select from gate) and not exists (select from charged)
           )
           select (select attempt from reserved) as attempt, earlier.cut_off::int as cut_off, earlier.unsent::int as unsent,
             ${ANSWER}, account.capped, account.fenced, account.ended, elsewhere.worker as elsewhere,
             extract(epoch from elsewhere.gives_up_at - now())::float8 * 1000 as "givesUpInMs"
           from earlier cross join account left join answer on true left join elsewhere on true`,
          [
            key.runId,
            key.step,
            key.try,
            request.provider,
            request.model,
            hash,
            request.messages.length,
            request.reservedUsd,
            request.endpoint ?? null,
            request.tellsSending === true,
            ...[key.fence?.token ?? null, request.worker ?? null, request.boundMs ?? null, request.gone ?? []],
          ],
        ).catch((error: unknown) => {
          // A concurrent call took the attempt's number; our charge was rolled back.
          if (error instanceof Error && 'constraint' in error && error.constraint === 'model_calls_pkey') return [];
          throw error;
        });
        if (row === undefined) return undefined;
        const answer = answerOf(row);
        if (!row.fenced) throw new Superseded(`${questionOf(key)}: another attempt has taken over`);
        if (answer !== null) return { kind: 'stored' as const, ...answer };
        if (row.ended) throw new Stale(`${questionOf(key)}: its run has ended, so the call is not made`);
        if (row.elsewhere !== null)
          return { kind: 'elsewhere' as const, worker: row.elsewhere, givesUpInMs: row.givesUpInMs ?? 0 };
        if (row.unsent > 0) {
          await releaseUnsent(run, [key.runId]);
          return undefined;
        }
        if (row.attempt !== null)
          return { kind: 'reserved' as const, attempt: row.attempt, earlierAttempts: row.cut_off };
        if (!row.capped) return undefined;
        return { kind: 'over_budget' as const, open: await mayHaveRoom(key.runId, request.reservedUsd) };
      });
    },

    async sendingCall(key, attempt) {
      const rows = await run(
        'sendingCall',
        `update model_calls set sent_at = now()
         where run_id = $1 and step = $2 and try = $3 and attempt = $4 and status = 'reserved' returning 1`,
        [key.runId, key.step, key.try, attempt],
      );
      if (rows.length === 0)
        throw new Stale(`${questionOf(key)}: attempt ${attempt} was given up before it was sent, so it is not made`);
    },

    async modelHasAnswered(batchId, model) {
      const [row] = await run<{ answered: boolean }>(
        'modelHasAnswered',
        `select exists (
           select from runs where batch_id = $1 and model_name = $2 and answered_calls > 0
         ) as answered`,
        [batchId, model],
      );
      return row?.answered === true;
    },

    async reservationFactor(account, model) {
      const [row] = await run<{ factor: number }>(
        'reservationFactor',
        'select factor::float8 as factor from reservation_factors where account = $1 and model = $2',
        [account, model],
      );
      return row?.factor ?? 1;
    },

    async storedAnswer(key) {
      const [row] = await run<AnswerRow>(
        'storedAnswer',
        `select ${ANSWER} from model_calls answer
         where run_id = $1 and step = $2 and try = $3 and status = 'confirmed'`,
        [key.runId, key.step, key.try],
      );
      return row === undefined ? null : answerOf(row);
    },

    async settleCall(key, reply, ms, { dearer, attempt } = {}) {
      const [row] = await run<{ known: boolean }>(
        'settleCall',
        `with latest as (
           select attempt from model_calls where run_id = $1 and step = $2 and try = $3
           order by attempt desc limit 1
           for update
         ), settled as (
           update model_calls c set
             status = 'confirmed', response = $4, finish_reason = $5, input_tokens = $6, output_tokens = $7,
             cached_tokens = $8, reasoning_tokens = $9, cost_usd = $10, ms = $11, cache_write_tokens = $12,
             usage_problem = $13, tool_calls = $14::jsonb, error = null, ended_at = now()
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
             cache_write_tokens = r.cache_write_tokens + $12, cost_usd = r.cost_usd + $10,
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
          reply.usage.inputTokens,
          reply.usage.outputTokens,
          reply.usage.cachedTokens,
          reply.usage.reasoningTokens,
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
        ],
      ).catch((error: unknown) => {
        // Another attempt of the same question was settled concurrently; that one counts.
        if (error instanceof Error && 'constraint' in error && error.constraint === 'model_calls_one_answer')
          return [{ known: true }];
        throw error;
      });
      if (row?.known !== true) throw new Error(`${questionOf(key)}: answer to a call that was never reserved`);
    },

    async failCall(key, errorType, billed, { event, detail, retryAt, attempt } = {}) {
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
    },

    async spending(runId) {
      const [row] = await run<{ confirmed: string; unconfirmed: string; tokens: number }>(
        'spending',
        // A run that continues one stopped by the budget also counts the calls which that one lost.
        `with recursive line as (
           select run_id, replaces from runs where run_id = $1
           union all
           select r.run_id, r.replaces from line join runs r on r.run_id = line.replaces where r.end_reason = 'budget'
         )
         select trim_scale(r.cost_usd)::text as confirmed, (r.input_tokens + r.output_tokens)::float8 as tokens,
           (select trim_scale(coalesce(sum(c.reserved_usd), 0))::text from model_calls c join line on line.run_id = c.run_id
            where c.status in ('reserved', 'unconfirmed')) as unconfirmed
         from runs r where r.run_id = $1`,
        [runId],
      );
      if (row === undefined) throw missingRun(runId);
      return { confirmedUsd: row.confirmed, unconfirmedUsd: row.unconfirmed, tokens: row.tokens };
    },
  };
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

/** JSON of the database holds neither NUL characters nor halves of a pair. */
const storableText = (text: string): string =>
  storable(text).replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');

const answerOf = (row: AnswerRow): { reply: ModelReply; ms: number } | null =>
  row.response === null ? null : { reply: replyOf(row), ms: row.ms ?? 0 };

const replyOf = (row: AnswerRow): ModelReply => ({
  text: row.response ?? '',
  usage: {
    inputTokens: row.input_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    cachedTokens: row.cached_tokens ?? 0,
    reasoningTokens: row.reasoning_tokens ?? 0,
    cacheWriteTokens: row.cache_write_tokens ?? 0,
  },
  costUsd: row.cost_usd ?? '0',
  finishReason: row.finish_reason ?? '',
  ...(row.tool_calls === null ? {} : { toolCalls: row.tool_calls }),
});
