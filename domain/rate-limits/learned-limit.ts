import {
  type AccountState,
  type Dimension,
  DIMENSIONS,
  type LearnedLimit,
  type PerDimension,
  type RateLimits,
} from './account-state.js';
import { CERTAIN, LIKELY, type RecentCalls, weightOfRefusals } from './evidence.js';
import { byMinute, callsPerMinute, estimate, LEAST_LIMIT, MARGIN, passedSince } from './measured-rate.js';

/** Steps up to the measured rate, less the margin ... */
const STEP = 0.02;
/** ... and beyond it, where each is twice the last, as the limit seems to be raised. */
const LARGEST_STEP = 0.06;
/** A provider with long closures counts by the minute and saves nothing up: more is at stake. */
const LARGEST_STEP_BY_MINUTE = 0.25;
const STEP_EVERY = 1 / 30;
/** Between a cut and the first step up. */
const LEAST_REST = 1 / 6;
/** Steps beyond the peak may cost one refusal per so many passed calls ... */
const CALLS_PER_REFUSAL = 120;
/** ... but wait at most so many minutes. */
const LONGEST_REST = 2;
const LONGEST_REST_BY_MINUTE = 1;
/** So much above the measured rate, the limit was raised or misjudged. */
const UNSURE = 1.1;
/** Calls granted together are judged together. */
const SAME_MOMENT = 1 / 600;
/** Quiet after a refusal, or the provider's if longer; doubles until the cut. */
const QUIET = 1 / 60;
const LONGEST_QUIET = 1 / 4;
/** The next refusal may come late in its minute, so knowledge of it fades slowly. */
const FADING = 0.8;
/** Calls below this share of the limit, over `LATELY`, did not reach it. */
const NEAR_LIMIT = 1 / 4;
const LATELY = 1 / 6;
/** After so many vain cuts in a row, refusals do not depend on the rate ... */
const MOST_IN_VAIN = 7;
/** ... and count as chance for so many minutes. */
const BY_CHANCE_FOR = 60;

export interface Refusal {
  grantedAt: number;
  /** Null: the provider did not say. */
  dimension: Dimension | null;
  retryAfterMs?: number | undefined;
  /** The provider's count left almost none of the limit. */
  exhausted?: boolean | undefined;
}

/**
 * A rate refusal. If evidence supports a limit: quiet, then a cut close to the measured rate. Calls
 * under way at the last cut change nothing more, nor do refusals while nothing passes: then the
 * provider is closed, which says nothing about its rate. Else only the refused call waits. Returns
 * the cut dimensions.
 */
export function refused(
  state: AccountState,
  refusal: Refusal,
  limits: RateLimits,
  recent: RecentCalls,
  now: number,
  minuteMs: number,
): Dimension[] {
  const concerned = DIMENSIONS.filter((one) => refusal.dimension === null || refusal.dimension === one);
  for (const one of concerned) {
    const learned = state.learned[one];
    if (learned !== null) owe(learned, learned.debt + 1, one, recent, minuteMs);
  }
  const fresh = concerned.filter(
    (one) =>
      refusal.grantedAt > (state.learned[one]?.cutAt ?? -Infinity) &&
      isForRate(state, one, refusal, limits[one], recent, now, minuteMs),
  );
  if (fresh.length === 0) return [];
  const afterQuiet = refusal.grantedAt >= state.blockedUntil;
  if (afterQuiet) state.quietMs = Math.min(Math.max(QUIET * minuteMs, 2 * state.quietMs), LONGEST_QUIET * minuteMs);
  const quiet = Math.max(refusal.retryAfterMs ?? 0, state.quietMs, QUIET * minuteMs);
  if (refusal.retryAfterMs !== undefined || afterQuiet) state.blockedUntil = Math.max(state.blockedUntil, now + quiet);
  for (const one of fresh) {
    const learned = state.learned[one];
    if (learned !== null) learned.closedMs = Math.max(learned.closedMs, state.blockedUntil - now);
  }

  const cut: Dimension[] = [];
  for (const dimension of fresh) {
    const before = state.learned[dimension];
    const found = estimate(dimension, before, limits[dimension], refusal.grantedAt, recent, now, minuteMs);
    if (found === null) continue;
    const { peak, factor } = found;
    const inVain =
      before === null || refusal.exhausted === true || wasProbed(before)
        ? 0
        : before.inVain + (weightSince(before, refusal, recent, minuteMs) < CERTAIN ? 1 : 0);
    if (inVain >= MOST_IN_VAIN) {
      state.learned[dimension] = null;
      state.byChanceUntil = now + BY_CHANCE_FOR * minuteMs;
      state.blockedUntil = now;
      state.quietMs = 0;
      continue;
    }
    cut.push(dimension);
    const after: LearnedLimit = {
      limit: Math.max(LEAST_LIMIT[dimension], Math.min(peak * factor, heeded(state, dimension))),
      ...{
        peak,
        cutAt: now,
        emptyAt: refusal.grantedAt,
        passed: passedSince(recent, refusal.grantedAt, now)[dimension],
      },
      ...{ steppedAt: now, beyond: 0, inVain, debt: 0, unsure: before === null || peak > before.peak * UNSURE },
      closedMs: Math.max(state.blockedUntil - now, (before?.closedMs ?? 0) * FADING),
    };
    owe(after, before?.debt ?? 0, dimension, recent, minuteMs);
    state.learned[dimension] = after;
    state.level[dimension] = Math.min(state.level[dimension], 0);
    state.scarce[dimension] = false;
  }
  if (cut.length > 0) state.quietMs = 0;
  return cut;
}

/**
 * A limit rather than chance? Ignores grants after the refused call, which are undecided. Near a
 * known limit one refusal suffices, unless the account refuses at any rate.
 */
function isForRate(
  state: AccountState,
  dimension: Dimension,
  refusal: Refusal,
  current: number | null,
  recent: RecentCalls,
  now: number,
  minuteMs: number,
): boolean {
  const learned = state.learned[dimension];
  if (refusal.exhausted === true) return true;
  const weight = weightSince(learned, refusal, recent, minuteMs);
  if (learned === null) return weight >= CERTAIN;
  if (refusal.grantedAt < state.byChanceUntil) return weight >= (wasProbed(learned) ? LIKELY : CERTAIN);
  const pace = passedSince(recent, now - LATELY * minuteMs, now)[dimension] / LATELY;
  return pace >= (current ?? learned.limit) * NEAR_LIMIT || weight >= LIKELY;
}

const weightSince = (learned: LearnedLimit | null, refusal: Refusal, recent: RecentCalls, minuteMs: number): number =>
  weightOfRefusals(recent, learned?.cutAt ?? -Infinity, refusal.grantedAt + SAME_MOMENT * minuteMs);

const wasProbed = (learned: LearnedLimit): boolean => learned.beyond > 0;

/** Bounds how long refusals are compensated for. */
function owe(learned: LearnedLimit, debt: number, dimension: Dimension, recent: RecentCalls, minuteMs: number): void {
  const longest = byMinute(learned, minuteMs) ? LONGEST_REST_BY_MINUTE : LONGEST_REST;
  const most = (callsPerMinute(dimension, learned.peak, recent) * longest) / CALLS_PER_REFUSAL;
  learned.debt = Math.min(debt, most);
}

/** Calls granted at that time passed (or, negative, failed). */
export function countPassed(state: AccountState, amount: PerDimension<number>, grantedAt: number): void {
  for (const dimension of DIMENSIONS) {
    const learned = state.learned[dimension];
    if (learned === null || grantedAt <= learned.emptyAt) continue;
    learned.passed += amount[dimension];
    if (amount.requests > 0) learned.debt = Math.max(0, learned.debt - amount.requests / CALLS_PER_REFUSAL);
  }
}

/** Unused room while no call waited: the provider would have accepted it as well. */
export function countUnused(state: AccountState, dimension: Dimension, amount: number): void {
  const learned = state.learned[dimension];
  if (learned !== null && !state.scarce[dimension]) learned.passed += amount;
}

/** Steps up where calls waited long enough. Forgets a limit that no longer limits. */
export function probe(state: AccountState, set: RateLimits, now: number, minuteMs: number): void {
  for (const dimension of DIMENSIONS) {
    const learned = state.learned[dimension];
    if (learned === null || !state.scarce[dimension] || now < state.blockedUntil) continue;
    state.scarce[dimension] = false;
    if (now - learned.cutAt < LEAST_REST * minuteMs || now - learned.steppedAt < STEP_EVERY * minuteMs) continue;
    const stated = Math.max(heeded(state, dimension), LEAST_LIMIT[dimension]);
    const known = learned.peak * (1 - MARGIN);
    if (learned.limit < known * 0.999) {
      learned.limit = Math.min(learned.limit + STEP * learned.peak, known, stated);
    } else {
      if (learned.beyond === 0 && learned.debt > 0 && !learned.unsure) continue;
      const largest = byMinute(learned, minuteMs) ? LARGEST_STEP_BY_MINUTE : LARGEST_STEP;
      const factor = Math.min(STEP * 2 ** learned.beyond, largest);
      learned.limit = Math.min(learned.limit + factor * Math.max(learned.limit, learned.peak), stated);
      learned.beyond += 1;
    }
    learned.steppedAt = now;
    const declared = set[dimension] ?? state.declared[dimension]?.limit ?? null;
    if (declared !== null && learned.limit > declared) state.learned[dimension] = null;
  }
}

const heeded = (state: AccountState, dimension: Dimension): number =>
  (state.stated[dimension] ?? Infinity) * (1 - MARGIN);

/** Only a change of the provider's statement counts at once: others may share the account. */
export function statedLimits(state: AccountState, said: RateLimits): void {
  for (const dimension of DIMENSIONS) {
    const before = state.stated[dimension];
    const limit = said[dimension];
    const learned = state.learned[dimension];
    if (limit === null || !(limit > 0)) continue;
    state.stated[dimension] = limit;
    if (learned === null) continue;
    if (before !== null && before !== limit)
      Object.assign(learned, { limit: limit * (1 - MARGIN), peak: limit, beyond: 0 });
    else learned.limit = Math.min(learned.limit, limit * (1 - MARGIN));
  }
}
