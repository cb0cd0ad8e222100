import type { Dimension, LearnedLimit, PerDimension } from './account-state.js';
import type { RecentCalls } from './evidence.js';

/** Of what was measured to get through, so much is left alone; more where few calls were measured. */
export const MARGIN = 0.03;
const MARGIN_CALLS = 1.5;
const LARGEST_MARGIN = 0.25;
/** Where that cannot be measured: of what was granted. */
const BLIND_CUT = 0.7;
/** Without calls enough to measure, so long from one cut to the next. */
const MEASURED = 1 / 10;
/** So many calls make a measured rate. */
const ENOUGH = 5;
/** Calls of a few seconds are scaled up to a minute's, but to no more than this. */
const FEW = 100;
/** Calls younger than this may yet be refused. */
const UNDECIDED = 1 / 60;
/** A provider that wants longer quiet than this counts by the minute. */
const CLOSED = 1 / 20;
export const LEAST_LIMIT: PerDimension<number> = { requests: 1, tokens: 100 };

/** Calls per minute that the limit comes to. */
export function callsPerMinute(dimension: Dimension, peak: number, recent: RecentCalls): number {
  const all = passedSince(recent, -Infinity, Infinity);
  return Math.max(1, dimension === 'requests' || all.tokens === 0 ? peak : (peak * all.requests) / all.tokens);
}

export function passedSince(recent: RecentCalls, after: number, before: number): PerDimension<number> {
  const sum = { requests: 0, tokens: 0 };
  for (const call of recent) {
    if (call.at <= after || call.at > before) continue;
    sum.requests += call.requests;
    sum.tokens += call.tokens;
  }
  return sum;
}

/** Does the provider count by the minute? */
export const byMinute = (learned: LearnedLimit, minuteMs: number): boolean => learned.closedMs > CLOSED * minuteMs;

/**
 * What the provider lets through in a minute, and how much of that to take; null: too early to say. Whenever it refuses it has
 * nothing left, so what passed from one refusal to the next is what it let through, however unevenly that was.
 */
export function estimate(
  dimension: Dimension,
  before: LearnedLimit | null,
  current: number | null,
  grantedAt: number,
  recent: RecentCalls,
  now: number,
  minuteMs: number,
): { peak: number; factor: number } | null {
  const last = passedSince(recent, now - minuteMs, now)[dimension];
  if (before === null || current === null) {
    // Less than a minute of calls may be all of a minute's, or not: few are scaled up, since climbing would take long.
    const span = Math.min(Math.max(minuteMs / 6, now - (recent[0]?.at ?? now)), minuteMs);
    const scaled = Math.min((last / span) * minuteMs, FEW * sizeOfCall(dimension, recent));
    return { peak: Math.min(current ?? Infinity, Math.max(last, scaled, LEAST_LIMIT[dimension])), factor: 1 - MARGIN };
  }
  const undecided = passedSince(recent, grantedAt, now)[dimension];
  const got = before.passed - undecided;
  const since = grantedAt - before.emptyAt;
  if (passedSince(recent, before.cutAt, now - UNDECIDED * minuteMs).requests === 0) return null;
  const calls = got / sizeOfCall(dimension, recent);
  if (calls < ENOUGH || since <= 0)
    return now - before.cutAt < MEASURED * minuteMs ? null : { peak: current, factor: BLIND_CUT };
  const paced = (got / since) * minuteMs;
  const margin = Math.min(LARGEST_MARGIN, Math.max(MARGIN, MARGIN_CALLS / calls));
  // One that counts by the minute opens and closes: only whole minutes tell.
  const measured = byMinute(before, minuteMs) ? Math.max(paced, last) : paced;
  return { peak: Math.min(current, measured), factor: 1 - margin };
}

/** Of a call that passed, in the unit of the limit. */
function sizeOfCall(dimension: Dimension, recent: RecentCalls): number {
  const all = passedSince(recent, -Infinity, Infinity);
  return dimension === 'requests' || all.requests === 0 ? 1 : Math.max(1, all.tokens / all.requests);
}
