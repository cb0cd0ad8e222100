import { type AccountState, type Dimension, DIMENSIONS, type PerDimension, type RateLimits } from './account-state.js';
import { correct, grantedPerMinute, refill, take, waitFor } from './buckets.js';
import { fairTurns, forgetOldTurns, type WaitingCall } from './fair-turns.js';
import { countPassed, countUnused, probe } from './learned-limit.js';

export interface Grants {
  /** `charged`: tokens taken for it. */
  granted: { ticket: string; charged: number }[];
  /** Milliseconds until the others' grants, if nothing changes. */
  expected: Map<string, number>;
}

/** The estimate, times actual / estimated tokens on this account, plus a margin for the spread. */
export function chargeFor(state: Pick<AccountState, 'usage'>, estimate: number): number {
  const share = state.usage === null ? 1 : state.usage.mean + 2 * state.usage.deviation;
  return Math.ceil(estimate * Math.min(1, share));
}

/** Corrects a call's charge to its actual tokens, and improves later estimates. */
export function settle(
  state: AccountState,
  call: { estimate: number; charged: number; used: number; grantedAt: number },
  set: RateLimits,
): void {
  const correction = { requests: 0, tokens: call.used - call.charged };
  correct(state, grantedPerMinute(state, set), correction, call.grantedAt);
  countPassed(state, correction, call.grantedAt);
  if (call.estimate <= 0) return;
  const share = call.used / call.estimate;
  const { usage } = state;
  state.usage =
    usage === null
      ? { mean: share, deviation: share / 2 }
      : {
          mean: usage.mean + (share - usage.mean) / 16,
          deviation: usage.deviation + (Math.abs(share - usage.mean) - usage.deviation) / 16,
        };
}

/** A granted call was not made (`madeCall` false), or was refused. */
export function cancelGrant(
  state: AccountState,
  call: { charged: number; grantedAt: number },
  set: RateLimits,
  madeCall: boolean,
): void {
  // Some providers count a refused request, none its tokens.
  const amount = { requests: madeCall ? 0 : -1, tokens: -call.charged };
  correct(state, grantedPerMinute(state, set), amount, call.grantedAt);
  countPassed(state, { requests: -1, tokens: -call.charged }, call.grantedAt);
}

/** Grants in fair order; a call that does not fit blocks later ones, so that none starves. */
export function grantCalls(
  state: AccountState,
  waiting: readonly WaitingCall[],
  set: RateLimits,
  now: number,
  minuteMs: number,
): Grants {
  refill(state, grantedPerMinute(state, set), now, minuteMs, (dimension, amount) =>
    countUnused(state, dimension, amount),
  );
  probe(state, set, now, minuteMs);
  const limits = grantedPerMinute(state, set);
  const granted: Grants['granted'] = [];
  const expected: Grants['expected'] = new Map();
  const quiet = Math.max(0, state.blockedUntil - now);
  const cost = (call: WaitingCall): PerDimension<number> => ({ requests: 1, tokens: chargeFor(state, call.tokens) });
  const order = fairTurns(state, waiting);
  for (let call = order.next(); call !== undefined; call = order.next()) {
    const wait = waitFor(state, limits, NOTHING, minuteMs);
    if (Math.max(quiet, wait.requests, wait.tokens) > 0) {
      for (const dimension of DIMENSIONS) if (wait[dimension] > 0) state.scarce[dimension] = true;
      break;
    }
    const one = cost(call);
    take(state, limits, one);
    countPassed(state, one, now);
    granted.push({ ticket: call.ticket, charged: one.tokens });
    order.pass(shareOf(one, limits));
  }
  // Looking ahead must not change whose turn it is.
  const done = new Set(granted.map(({ ticket }) => ticket));
  const ahead = { ...NOTHING };
  const later = fairTurns(
    { turns: { ...state.turns }, clock: state.clock },
    waiting.filter(({ ticket }) => !done.has(ticket)),
  );
  for (let call = later.next(); call !== undefined; call = later.next()) {
    const wait = waitFor(state, limits, ahead, minuteMs);
    expected.set(call.ticket, Math.ceil(quiet + Math.max(wait.requests, wait.tokens)));
    const one = cost(call);
    ahead.requests += one.requests;
    ahead.tokens += one.tokens;
    later.pass(shareOf(one, limits));
  }
  forgetOldTurns(state);
  return { granted, expected };
}

const NOTHING: PerDimension<number> = { requests: 0, tokens: 0 };

/** Minutes that the call takes of the scarcer dimension; 0 without limits, as no call waits. */
function shareOf(cost: PerDimension<number>, limits: RateLimits): number {
  const of = (dimension: Dimension): number => cost[dimension] / (limits[dimension] ?? Infinity);
  return Math.max(of('requests'), of('tokens'));
}
