import type pg from 'pg';
import type { RateAnswer, RateExchange, RateReport, RateStore } from '../../domain/ports/rate-store.js';
import { type AccountState, DIMENSIONS, newAccount, type RateLimits } from '../../domain/rate-limits/account-state.js';
import { grantedPerMinute } from '../../domain/rate-limits/buckets.js';
import { declare } from '../../domain/rate-limits/declared.js';
import type { WaitingCall } from '../../domain/rate-limits/fair-turns.js';
import { cancelGrant, grantCalls, settle } from '../../domain/rate-limits/grant-calls.js';
import type { RecentCalls } from '../../domain/rate-limits/evidence.js';
import { refused, statedLimits } from '../../domain/rate-limits/learned-limit.js';
import { storeError } from '../database-error.js';
import { storable } from '../statements.js';
import { inTransaction } from '../in-transaction.js';

/** In minutes: a waiting call that its worker did not mention for longer is abandoned. */
const GONE = 1 / 4;
/** In minutes: longer than a call may take, so that its end finds its grant. */
const LONGEST_CALL = 30;
/** In minutes: refusals are weighed against the calls granted in this time. */
const REMEMBERED = 2;
const MOST_WAITING = 1000;

/** One short transaction under the lock of the account's row. */
export function rateStore(pool: pg.Pool): RateStore {
  return {
    async exchange(exchange, minuteMs) {
      try {
        return await inTransaction(pool, (client) => grantUnderLock(client, exchange, minuteMs));
      } catch (error) {
        throw storeError('exchange of grants', error);
      }
    },
  };
}

interface LockedAccount {
  state: AccountState;
  set: RateLimits;
  /** Epoch ms by PostgreSQL's clock, read after taking the lock. */
  now: number;
}

async function grantUnderLock(client: pg.PoolClient, exchange: RateExchange, minuteMs: number): Promise<RateAnswer> {
  const { account } = exchange;
  const { state, set, now } = await lockAccount(client, exchange);
  await report(client, exchange, { state, set, now }, minuteMs);

  for (const { declared } of exchange.arrivals) declare(state, declared, now, minuteMs);
  await attend(client, exchange, now, minuteMs);
  const { rows: waiting } = await client.query<WaitingCall>(
    `select t.ticket, t.batch_id as "batchId", coalesce(b.priority, 3) as priority, t.tokens::float8 as tokens,
       extract(epoch from t.arrived_at)::float8 * 1000 as "arrivedAt"
     from rate_tickets t left join batches b on b.batch_id = t.batch_id
     where t.account = $1 and t.status = 'waiting' and t.seen_at > to_timestamp($2::float8 / 1000)
     order by t.arrived_at limit ${MOST_WAITING}`,
    [account, now - GONE * minuteMs],
  );
  const { granted, expected } = grantCalls(state, waiting, set, now, minuteMs);

  // Other workers' calls are granted too; they learn of it when they next ask.
  const { rows } = await client.query<{ ticket: string }>(
    `with granted as (
       update rate_tickets t set status = 'granted', granted_at = to_timestamp($4::float8 / 1000), charged = g.charged
       from jsonb_to_recordset($2::jsonb) as g (ticket text, charged bigint)
       where t.account = $1 and t.ticket = g.ticket and t.status = 'waiting'
       returning t.ticket
     ), kept as (
       update rate_accounts set state = $5::jsonb, updated_at = now() where account = $1
     ), old as (
       delete from rate_tickets where account = $1 and (
         status in ('granted', 'settled') and granted_at < to_timestamp(($4::float8 - $6::float8) / 1000)
           and (status = 'settled' or granted_at < to_timestamp(($4::float8 - $7::float8) / 1000))
         or status = 'limited' and ended_at < now() - interval '1 hour'
         or status = 'waiting' and seen_at < to_timestamp(($4::float8 - 5 * $6::float8) / 1000))
     )
     select ticket from granted where ticket = any($3)
     union select ticket from rate_tickets where account = $1 and ticket = any($3) and status = 'granted'`,
    [
      ...[account, JSON.stringify(granted), exchange.attending, now, JSON.stringify(state)],
      ...[REMEMBERED * minuteMs, LONGEST_CALL * minuteMs],
    ],
  );
  const mine = new Set(rows.map(({ ticket }) => ticket));
  return {
    granted: [...mine],
    expected: exchange.attending
      .filter((ticket) => !mine.has(ticket))
      .map((ticket) => ({ ticket, ms: expected.get(ticket) ?? minuteMs })),
  };
}

async function lockAccount(client: pg.PoolClient, { account, provider }: RateExchange): Promise<LockedAccount> {
  const select = () =>
    client.query<{ state: AccountState; requests: number | null; tokens: number | null; now: number }>(
      `select a.state, a.set_requests as requests, a.set_tokens as tokens,
         extract(epoch from clock_timestamp())::float8 * 1000 as now
       from rate_accounts a where a.account = $1 for update`,
      [account],
    );
  let { rows } = await select();
  if (rows.length === 0) {
    await client.query(
      `insert into rate_accounts (account, provider, state) values ($1, $2, $3::jsonb) on conflict do nothing`,
      [account, provider, JSON.stringify(newAccount(0))],
    );
    ({ rows } = await select());
  }
  const [row] = rows;
  if (row === undefined) throw new Error(`rate account ${account} vanished`);
  // The select may have read the clock before it got the lock: never go back.
  const now = Math.max(row.now, row.state.at);
  return { state: row.state, set: { requests: row.requests, tokens: row.tokens }, now };
}

/** Known calls keep their place; marks those still waiting as seen. */
async function attend(client: pg.PoolClient, exchange: RateExchange, now: number, minuteMs: number): Promise<void> {
  const arrivals = exchange.arrivals.map(({ ticket, batchId, tokens }) => ({
    ticket,
    batchId,
    tokens: Math.ceil(tokens),
  }));
  if (arrivals.length > 0)
    await client.query(
      `with arrived as (
       select * from jsonb_to_recordset($2::jsonb) as a (ticket text, "batchId" text, tokens bigint)
     ), lost as (
       -- A grant whose caller asks again was used by a worker that died, or missed: it counts as it was charged.
       update rate_tickets t set status = 'settled', ended_at = to_timestamp($3::float8 / 1000)
       from arrived a where t.account = $1 and t.ticket = a.ticket and t.status = 'granted'
     )
     insert into rate_tickets (account, ticket, batch_id, status, tokens, arrived_at, seen_at)
     select $1, a.ticket, a."batchId", 'waiting', a.tokens,
       coalesce((select min(e.arrived_at) from rate_tickets e where e.account = $1 and e.ticket = a.ticket), now.at), now.at
     from arrived a cross join (select to_timestamp($3::float8 / 1000) as at) now
     on conflict (account, ticket) where status = 'waiting'
       do update set seen_at = excluded.seen_at, tokens = excluded.tokens`,
      [exchange.account, JSON.stringify(arrivals), now],
    );
  const { attending, parked } = exchange;
  if (attending.length + parked.length > arrivals.length)
    await client.query(
      `update rate_tickets set seen_at = to_timestamp((case when ticket = any($4) then $2::float8 - $5::float8 else $2 end) / 1000)
       where account = $1 and status = 'waiting'
         and (ticket = any($3) and seen_at < to_timestamp(($2::float8 - $5::float8 / 3) / 1000) or ticket = any($4))`,
      // Update waiting calls only well before they would count as abandoned.
      [exchange.account, now, attending, parked, GONE * minuteMs],
    );
}

interface Ended {
  ticket: string;
  status: string;
  tokens: number;
  charged: number | null;
  grantedAt: number | null;
}

async function report(
  client: pg.PoolClient,
  exchange: RateExchange,
  { state, set, now }: LockedAccount,
  minuteMs: number,
): Promise<void> {
  const { account, reports } = exchange;
  if (reports.length === 0) return;
  const said = reports.map((one) => ({
    ticket: one.ticket,
    kind: one.kind,
    used: one.kind === 'settled' && one.tokens !== null ? Math.ceil(one.tokens) : null,
  }));
  // Only the ticket's last grant: a worker's death may have lost an earlier one.
  const { rows } = await client.query<Ended>(
    `with said as (
       select distinct on (s.ticket) s.*, t.ctid as row, t.status, t.tokens, t.charged, t.granted_at
       from jsonb_to_recordset($2::jsonb) as s (ticket text, kind text, used bigint)
       join rate_tickets t on t.account = $1 and t.ticket = s.ticket and t.status in ('waiting', 'granted')
       order by s.ticket, t.granted_at desc nulls last
     ), gone as (
       delete from rate_tickets t using said s where t.ctid = s.row and s.kind = 'released'
     ), ended as (
       update rate_tickets t set status = s.kind, charged = case s.kind when 'limited' then 0 else coalesce(s.used, t.charged) end,
         ended_at = to_timestamp($3::float8 / 1000)
       from said s where t.ctid = s.row and s.kind <> 'released' and t.status = 'granted'
     )
     select ticket, status, tokens::float8 as tokens, charged::float8 as charged,
       extract(epoch from granted_at)::float8 * 1000 as "grantedAt" from said`,
    [account, JSON.stringify(said), now],
  );
  // Older grants are not kept.
  const lately = (at: number): number => Math.max(at, state.at - minuteMs);
  const byTicket = new Map(rows.map((row) => [row.ticket, row]));
  const refusals: { one: Extract<RateReport, { kind: 'limited' }>; grantedAt: number }[] = [];
  for (const one of reports) {
    const row = byTicket.get(one.ticket);
    if (one.kind !== 'released' && one.stated !== undefined) statedLimits(state, one.stated);
    if (row?.grantedAt == null || row.charged === null) {
      // Its row is gone, so it was granted long ago, but the provider's answer still counts.
      if (one.kind === 'limited') refusals.push({ one, grantedAt: lately(0) });
      continue;
    }
    const { grantedAt } = row;
    if (one.kind === 'settled' && one.tokens !== null)
      settle(state, { estimate: row.tokens, charged: row.charged, used: one.tokens, grantedAt }, set);
    else if (one.kind === 'released') cancelGrant(state, { charged: row.charged, grantedAt }, set, false);
    else if (one.kind === 'limited') {
      cancelGrant(state, { charged: row.charged, grantedAt }, set, true);
      refusals.push({ one, grantedAt: lately(grantedAt) });
    }
  }
  if (refusals.length === 0) return;
  const recent = await recentCalls(client, account, now, minuteMs);
  for (const { one, grantedAt } of refusals) {
    const before = grantedPerMinute(state, set);
    const refusal = { grantedAt, dimension: one.dimension, retryAfterMs: one.retryAfterMs, exhausted: one.exhausted };
    const cut = refused(state, refusal, before, recent, now, minuteMs);
    if (cut.length > 0) await tellCut(client, account, state, before, now);
  }
}

/** Grants of the last minute, in groups of about a hundredth of a second. */
async function recentCalls(
  client: pg.PoolClient,
  account: string,
  now: number,
  minuteMs: number,
): Promise<RecentCalls> {
  const { rows } = await client.query<RecentCalls[number]>(
    `select max(extract(epoch from granted_at)::float8) * 1000 as at, sum(charged)::float8 as tokens,
       count(*) filter (where status <> 'limited')::float8 as requests, count(*) filter (where status = 'limited')::float8 as refused
     from rate_tickets
     where account = $1 and status in ('granted', 'settled', 'limited') and granted_at > to_timestamp(($2::float8 - $3::float8) / 1000)
     group by floor(extract(epoch from granted_at)::float8 * 1000 / ($3::float8 / 600)) order by 1`,
    [account, now, minuteMs],
  );
  return rows;
}

/** An event without a run, since it concerns all that use the account. */
async function tellCut(
  client: pg.PoolClient,
  account: string,
  state: AccountState,
  before: RateLimits,
  now: number,
): Promise<void> {
  const after = DIMENSIONS.map((one) => {
    const learned = state.learned[one];
    if (learned === null || learned.cutAt !== now) return null;
    const was = before[one];
    return `${one} to ${Math.round(learned.limit)} a minute${was === null ? '' : ` (was ${Math.round(was)})`}`;
  }).filter((text) => text !== null);
  await client.query(
    `insert into events (kind, key, detail) values ('rate_limit_learned', $1, $2) on conflict do nothing`,
    [
      storable(`limit-${account}-${Math.round(now)}`),
      storable(`${account} refused a call because of its rate: ${after.join(', ')}`),
    ],
  );
}
