import { newAccount, type RateLimits } from '../../../../domain/rate-limits/account-state.js';
import { declare } from '../../../../domain/rate-limits/declared.js';
import type { WaitingCall } from '../../../../domain/rate-limits/fair-turns.js';
import { cancelGrant, grantCalls, settle } from '../../../../domain/rate-limits/grant-calls.js';
import { refused } from '../../../../domain/rate-limits/learned-limit.js';
import { grantedPerMinute } from '../../../../domain/rate-limits/buckets.js';
import { seededRandom } from '../../../setup/random.js';
import { type Enforcement, type PhaseLimits, SimulatedLimiter } from '../../../fakes/simulated-limiter.js';

export interface Traffic {
  seed: number;
  enforcement: Enforcement;
  phases: { minutes: number; limits: PhaseLimits }[];
  /** Calls under way or waiting at any time, by batch. */
  callers: Record<string, number>;
  priorities?: Record<string, number>;
  declared?: RateLimits;
  /** Does the provider say which limit it was, and for how long to wait? */
  silent?: boolean;
  /** So many calls the provider refuses at random, for a second, whatever their rate. */
  strays?: number;
  /** Is nothing learned? Then only refused calls wait, for as long as the provider says. */
  ungoverned?: boolean;
  /** Mean of what a call comes to; each between a half and one and a half of it. */
  tokensPerCall: number;
  /** Estimates are so many times too high. */
  overestimate: number;
  callSeconds: number;
  /** Of busy machines: how long a call takes to the provider, and a refusal back (means), ms. */
  lagMs?: number;
  /** Each worker stands still at random moments: mean time between them and mean length, ms. */
  stalls?: { every: number; last: number };
}

export interface Outcome {
  /** Calls that went through, of those that the limits allowed. */
  throughput: number;
  /** That went through. */
  calls: number;
  /** Refused, of all that were made. */
  refusals: number;
  answered: Record<string, number>;
  tokens: Record<string, number>;
  perPhase: { throughput: number; refusals: number }[];
}

const MINUTE = 60_000;
const WORKERS = 3;
const STRAY = { ok: false, dimension: 'requests', retryAfterMs: 1000 } as const;

/** Three workers share an account on a virtual clock: production's policy, a provider's limiter. */
export function simulateTraffic(traffic: Traffic): Outcome {
  const random = seededRandom(traffic.seed);
  const none: RateLimits = { requests: null, tokens: null };
  const state = newAccount(0);
  const first = traffic.phases[0];
  if (first === undefined) throw new Error('no phase');
  const limiter = new SimulatedLimiter(traffic.enforcement, MINUTE, first.limits);
  const agenda = new Agenda();
  const waiting = new Map<string, WaitingCall & { used: number; worker: number; batch: string }>();
  const granted = new Map<string, { at: number; charged: number }>();
  const recent: { at: number; requests: number; tokens: number; refused: number }[] = [];
  const answered: Record<string, number> = {};
  const tokensOf: Record<string, number> = {};
  const perPhase = traffic.phases.map(() => ({ ok: 0, refused: 0 }));
  const scheduled = Array.from({ length: WORKERS }, () => Infinity);
  const lag = (): number => 2 + (traffic.lagMs === undefined ? 30 * random() : -traffic.lagMs * Math.log(1 - random()));
  const awake = Array.from({ length: WORKERS }, (_, worker) =>
    awakeAt(traffic, seededRandom(traffic.seed * 97 + worker)),
  );
  /** When the worker gets to what came at the time. */
  const later = (worker: number, at: number): number => awake[worker]?.(at) ?? at;
  let phase = 0;
  let calls = 0;

  const wake = (worker: number, due: number): void => {
    const at = later(worker, due);
    if ((scheduled[worker] ?? 0) <= at) return;
    scheduled[worker] = at;
    agenda.add(at, () => {
      if (scheduled[worker] === at) exchange(worker, at);
    });
  };
  const arrive = (batch: string, worker: number, now: number, again?: WaitingCall & { used: number }): void => {
    const used = again?.used ?? Math.max(1, Math.round(traffic.tokensPerCall * (0.5 + random())));
    const ticket = again?.ticket ?? `call-${++calls}`;
    waiting.set(ticket, {
      ...{ ticket, batchId: batch, batch, worker, used, priority: traffic.priorities?.[batch] ?? 3 },
      tokens: used * traffic.overestimate,
      arrivedAt: again?.arrivedAt ?? now,
    });
    wake(worker, now + random() * 5);
  };
  const exchange = (worker: number, now: number): void => {
    scheduled[worker] = Infinity;
    if (traffic.declared !== undefined) declare(state, traffic.declared, now, MINUTE);
    const { granted: now_, expected } = grantCalls(state, [...waiting.values()], none, now, MINUTE);
    for (const { ticket, charged } of now_) granted.set(ticket, { at: now, charged });
    let soonest = Infinity;
    for (const call of [...waiting.values()]) {
      if (call.worker !== worker) continue;
      const grant = granted.get(call.ticket);
      if (grant === undefined) soonest = Math.min(soonest, expected.get(call.ticket) ?? Infinity);
      else {
        waiting.delete(call.ticket);
        agenda.add(later(worker, now + lag()), () => send(call, grant));
      }
    }
    const mine = [...waiting.values()].some((call) => call.worker === worker);
    if (mine) wake(worker, now + Math.min(Math.max(soonest, 250), 2000) * (0.8 + 0.4 * random()));
  };
  const send = (
    call: WaitingCall & { used: number; worker: number; batch: string },
    grant: { at: number; charged: number },
  ): void => {
    const now = agenda.now;
    granted.delete(call.ticket);
    const counts = perPhase[phase];
    if (counts === undefined) return;
    const stray = random() < (traffic.strays ?? 0);
    const verdict = stray ? STRAY : limiter.ask(now, call.used);
    if (!verdict.ok) {
      counts.refused += 1;
      agenda.add(later(call.worker, now + 20 + lag()), (at) => {
        recent.push({ at: grant.at, requests: 0, tokens: 0, refused: 1 });
        const used = recent.filter((one) => one.at > at - MINUTE).sort((a, b) => a.at - b.at);
        cancelGrant(state, { charged: grant.charged, grantedAt: grant.at }, none, true);
        if (traffic.ungoverned !== true)
          refused(
            state,
            traffic.silent === true
              ? { grantedAt: grant.at, dimension: null }
              : { grantedAt: grant.at, dimension: verdict.dimension, retryAfterMs: verdict.retryAfterMs },
            grantedPerMinute(state, none),
            used,
            at,
            MINUTE,
          );
        agenda.add(at + verdict.retryAfterMs, (then) => arrive(call.batch, call.worker, then, call));
      });
      return;
    }
    counts.ok += 1;
    recent.push({ at: grant.at, requests: 1, tokens: call.used, refused: 0 });
    if (recent.length > 20_000) recent.splice(0, 10_000);
    answered[call.batch] = (answered[call.batch] ?? 0) + 1;
    tokensOf[call.batch] = (tokensOf[call.batch] ?? 0) + call.used;
    agenda.add(now + traffic.callSeconds * 1000 * (0.5 + random()), (at) => {
      settle(state, { estimate: call.tokens, charged: grant.charged, used: call.used, grantedAt: grant.at }, none);
      arrive(call.batch, call.worker, at);
    });
  };

  for (const [batch, count] of Object.entries(traffic.callers))
    for (let caller = 0; caller < count; caller++) arrive(batch, caller % WORKERS, 0);
  let end = 0;
  traffic.phases.forEach(({ minutes, limits }, index) => {
    agenda.add(end, () => {
      phase = index;
      limiter.limits = limits;
    });
    end += minutes * MINUTE;
  });
  agenda.runUntil(end);

  const allowed = traffic.phases.map(
    ({ minutes, limits }) => minutes * Math.min(limits.requests, limits.tokens / traffic.tokensPerCall),
  );
  // A bucket is full in the beginning.
  const stock = traffic.enforcement === 'bucket of a minute' ? (allowed[0] ?? 0) / first.minutes : 0;
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const ok = sum(perPhase.map((one) => one.ok));
  const refusedCalls = sum(perPhase.map((one) => one.refused));
  return {
    throughput: ok / (sum(allowed) + stock),
    calls: ok,
    refusals: refusedCalls / (ok + refusedCalls),
    answered,
    tokens: tokensOf,
    perPhase: perPhase.map((one, index) => ({
      throughput: one.ok / (allowed[index] ?? 1),
      refusals: one.refused / Math.max(1, one.ok + one.refused),
    })),
  };
}

/** A worker's stalls, in order of time: when it handles what comes at `at`. */
function awakeAt({ stalls }: Traffic, random: () => number): (at: number) => number {
  if (stalls === undefined) return (at) => at;
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  const past: { from: number; until: number }[] = [];
  let known = 0;
  return (at) => {
    while (known <= at) {
      const from = known + exponential(stalls.every);
      known = from + exponential(stalls.last);
      past.push({ from, until: known });
    }
    return Math.max(at, past.findLast(({ from }) => from <= at)?.until ?? 0);
  };
}

/** What is to happen when, on a clock that jumps from one to the next. */
class Agenda {
  now = 0;
  private readonly heap: { at: number; order: number; act: (now: number) => void }[] = [];
  private order = 0;

  add(at: number, act: (now: number) => void): void {
    const { heap } = this;
    heap.push({ at: Math.max(at, this.now), order: ++this.order, act });
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.swapIfEarlier(child, parent)) break;
      child = parent;
    }
  }

  runUntil(end: number): void {
    for (let next = this.heap[0]; next !== undefined && next.at < end; next = this.heap[0]) {
      this.removeFirst();
      this.now = next.at;
      next.act(next.at);
    }
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ;) {
      const left = 2 * parent + 1;
      const child = left + 1 < heap.length && this.earlier(left + 1, left) ? left + 1 : left;
      if (child >= heap.length || !this.swapIfEarlier(child, parent)) return;
      parent = child;
    }
  }

  private earlier(a: number, b: number): boolean {
    const [one, other] = [this.heap[a], this.heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.at === other.at ? one.order < other.order : one.at < other.at;
  }

  private swapIfEarlier(a: number, b: number): boolean {
    if (!this.earlier(a, b)) return false;
    const [one, other] = [this.heap[a], this.heap[b]];
    if (one !== undefined && other !== undefined) [this.heap[a], this.heap[b]] = [other, one];
    return true;
  }
}
