import type { Dimension, LearnedLimit, PerDimension } from './account-state.js';
import type { RecentCalls } from './evidence.js';

/** Unused share of the measured rate; more where few calls were measured. */
export const MARGIN = 0.03;
const MARGIN_CALLS = 1.5;
const LARGEST_MARGIN = 0.25;
/** Cut to this share of the granted rate where nothing can be measured ... */
const BLIND_CUT = 0.7;
/** ... at most once in so many minutes. */
const MEASURED = 1 / 10;
/** Calls needed for a measured rate. */
const ENOUGH = 5;
/** Calls of a few seconds are scaled up to a minute, but at most to this. */
const FEW = 100;
/** Calls younger than this may still be refused. */
const UNDECIDED = 1 / 60;
/** A provider that wants longer quiet counts by the minute. */
const CLOSED = 1 / 20;
export const LEAST_LIMIT: PerDimension<number> = { requests: 1, tokens: 100 };

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

export const byMinute = (learned: LearnedLimit, minuteMs: number): boolean => learned.closedMs > CLOSED * minuteMs;

/**
 * Throughput per minute, and the share of it to use; null: too early. At a refusal the provider has
 * nothing left, so what passes between two refusals is its throughput, however uneven.
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
    // Under a minute of calls may be all of a minute's: scale few up, as climbing is slow.
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
  // A provider that counts by the minute opens and closes: only whole minutes count.
  const measured = byMinute(before, minuteMs) ? Math.max(paced, last) : paced;
  return { peak: Math.min(current, measured), factor: 1 - margin };
}

/** Of a passed call, in the limit's unit. */
function sizeOfCall(dimension: Dimension, recent: RecentCalls): number {
  const all = passedSince(recent, -Infinity, Infinity);
  return dimension === 'requests' || all.requests === 0 ? 1 : Math.max(1, all.tokens / all.requests);
}
