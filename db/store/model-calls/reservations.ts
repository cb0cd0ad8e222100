import { Superseded, Stale } from '../../../domain/errors.js';
import type { ModelCallKey, CallLedger, ReservedCall } from '../../../domain/ports/record/call-ledger.js';
import { requestHash } from '../../../domain/model/request-hash.js';
import type { Statements } from '../../statements.js';
import { PAYER, releaseUnsent } from '../open-calls.js';
import { isFenced } from '../steps/fences.js';
import { untilSettled } from '../until-settled.js';
import { type AnswerRow, ANSWER, answerOf } from './answers.js';
import { questionOf } from './question.js';

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

/** Under the lock of the batch's row, reread after waiting for it. */
const RESERVE_CALL = `with account as (
             select b.batch_id, b.budget_usd is not null as capped, ${isFenced(11)} as fenced, r.status = 'ended' as ended
             from runs r join batches own on own.batch_id = r.batch_id join batches b on b.batch_id = ${PAYER}
             where r.run_id = $1
           ), answer as (
             select * from model_calls where run_id = $1 and step = $2 and try = $3 and status = 'confirmed'
           ), earlier as (
             select coalesce(max(attempt), 0) as last,
               count(*) filter (where status in ('reserved', 'unconfirmed')) as cut_off,
               -- No client makes it any more: it is released first, then this statement runs again.
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
           from earlier cross join account left join answer on true left join elsewhere on true`;

export async function reserveCall(
  run: Statements,
  key: ModelCallKey,
  request: Parameters<CallLedger['reserveCall']>[1],
): Promise<ReservedCall> {
  const hash = requestHash(request);
  return untilSettled(`reserveCall of ${questionOf(key)}`, async () => {
    const [row] = await run<ReservedRow>('reserveCall', RESERVE_CALL, [
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
    ]).catch((error: unknown) => {
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
    if (row.attempt !== null) return { kind: 'reserved' as const, attempt: row.attempt, earlierAttempts: row.cut_off };
    if (!row.capped) return undefined;
    return { kind: 'over_budget' as const, open: await mayHaveRoom(run, key.runId, request.reservedUsd) };
  });
}

/** Would there be room if every call in flight of the batch cost nothing? */
async function mayHaveRoom(run: Statements, runId: string, wantedUsd: string): Promise<boolean> {
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
}

export async function sendingCall(run: Statements, key: ModelCallKey, attempt: number): Promise<void> {
  const rows = await run(
    'sendingCall',
    `update model_calls set sent_at = now()
         where run_id = $1 and step = $2 and try = $3 and attempt = $4 and status = 'reserved' returning 1`,
    [key.runId, key.step, key.try, attempt],
  );
  if (rows.length === 0)
    throw new Stale(`${questionOf(key)}: attempt ${attempt} was given up before it was sent, so it is not made`);
}

export async function reservationFactor(run: Statements, account: string, model: string): Promise<number> {
  const [row] = await run<{ factor: number }>(
    'reservationFactor',
    'select factor::float8 as factor from reservation_factors where account = $1 and model = $2',
    [account, model],
  );
  return row?.factor ?? 1;
}
