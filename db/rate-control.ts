import type { RateControl } from '../domain/ports/rate-control.js';
import { BenchError } from '../domain/errors.js';
import type { AccountState, Dimension, RateLimits } from '../domain/rate-limits/account-state.js';
import { grantedPerMinute } from '../domain/rate-limits/buckets.js';
import type { Statements } from './statements.js';
import type { RateAccountRow } from '../domain/views/rate-accounts.js';

interface Row {
  account: string;
  provider: string;
  state: AccountState;
  setRequests: number | null;
  setTokens: number | null;
  requests: number;
  tokens: number;
  waiting: number;
  waitingSince: Date | null;
  refused: number;
  factors: Record<string, number>;
}

export function rateControl(run: Statements): RateControl {
  const known = async (account: string): Promise<BenchError> => {
    const rows = await run<{ account: string }>('accounts', 'select account from rate_accounts order by 1', []);
    const names = rows.map((row) => row.account).join(', ');
    return new BenchError('not_found', `no account "${account}"`, {
      code: 'account.not_found',
      remedy:
        names === ''
          ? 'An account appears after the first call to its provider.'
          : `Accounts are: ${names}. \`bench limits\` shows them.`,
    });
  };
  return {
    async accounts() {
      const rows = await run<Row>(
        'accounts',
        `select a.account, a.provider, a.state, a.set_requests as "setRequests", a.set_tokens as "setTokens",
           coalesce(t.requests, 0)::float8 as requests, coalesce(t.tokens, 0)::float8 as tokens,
           coalesce(t.waiting, 0)::float8 as waiting, t.waiting_since as "waitingSince", coalesce(t.refused, 0)::float8 as refused,
           coalesce(
             (select jsonb_object_agg(f.model, f.factor) from reservation_factors f where f.account = a.account), '{}'
           ) as factors
         from rate_accounts a left join (
           select account,
             count(*) filter (where status in ('granted', 'settled') and granted_at > now() - interval '1 minute') as requests,
             sum(charged) filter (where status in ('granted', 'settled') and granted_at > now() - interval '1 minute') as tokens,
             count(*) filter (where status = 'waiting' and seen_at > now() - interval '2 minutes') as waiting,
             min(arrived_at) filter (where status = 'waiting' and seen_at > now() - interval '2 minutes') as waiting_since,
             count(*) filter (where status = 'limited' and ended_at > now() - interval '1 hour') as refused
           from rate_tickets group by account
         ) t on t.account = a.account
         order by a.account`,
        [],
      );
      return rows.map(accountOf);
    },

    async set(account, limits) {
      const rows = await run(
        'set limits',
        `update rate_accounts set set_requests = coalesce($2::float8, set_requests), set_tokens = coalesce($3::float8, set_tokens),
           updated_at = now()
         where account = $1 returning 1`,
        [account, limits.requests, limits.tokens],
      );
      if (rows.length === 0) throw await known(account);
    },

    async reset(account) {
      const rows = await run(
        'reset limits',
        `with forgotten as (delete from reservation_factors where account = $1)
         update rate_accounts set set_requests = null, set_tokens = null, updated_at = now(),
           state = state || '{"learned": {"requests": null, "tokens": null}, "stated": {"requests": null, "tokens": null},
             "blockedUntil": 0, "quietMs": 0}'::jsonb
         where account = $1 returning 1`,
        [account],
      );
      if (rows.length === 0) throw await known(account);
    },
  };
}

function accountOf(row: Row): RateAccountRow {
  const { state } = row;
  const set: RateLimits = { requests: row.setRequests, tokens: row.setTokens };
  const each = (of: (one: Dimension) => number | null): RateLimits => ({
    requests: of('requests'),
    tokens: of('tokens'),
  });
  const whole = (limits: RateLimits): RateLimits =>
    each((one) => (limits[one] === null ? null : Math.round(limits[one])));
  return {
    account: row.account,
    provider: row.provider,
    set: whole(set),
    declared: whole(each((one) => state.declared[one]?.limit ?? null)),
    learned: whole(each((one) => state.learned[one]?.limit ?? null)),
    stated: whole(state.stated),
    effective: whole(grantedPerMinute(state, set)),
    blockedUntil: state.blockedUntil > Date.now() ? new Date(state.blockedUntil).toISOString() : null,
    lastMinute: { requests: row.requests, tokens: row.tokens },
    waiting: row.waiting,
    waitingSince: row.waitingSince?.toISOString() ?? null,
    refusedLastHour: row.refused,
    reservationFactors: row.factors,
  };
}
