import type { RateGovernor, RateGrant } from '../domain/ports/rate-governor.js';
import type { RateReport, RateStore, RateTicket } from '../domain/ports/rate-store.js';

const MINUTE_MS = 60_000;
/** In minutes; longer waits move to the workflow, where they occupy no worker slot. */
const HOLD = 1 / 3;
const SHORTEST_POLL = 1 / 240;
const LONGEST_POLL = 1 / 30;
/** While the database is down. Further calls count as charged. */
const MOST_REPORTS = 1000;

type Acquired = Awaited<ReturnType<RateGovernor['acquire']>>;

interface Waiter {
  ticket: RateTicket;
  /** The store knows it. */
  registered: boolean;
  since: number;
  end(outcome: Acquired | Error): void;
}

/**
 * One per process. An account's calls share one exchange with the store at a time, so the
 * database's load grows with workers, not with calls. `minuteMs`: shorter in tests.
 */
export function createRateGovernor(store: RateStore, options: { minuteMs?: number } = {}): RateGovernor {
  const minuteMs = options.minuteMs ?? MINUTE_MS;
  const lines = new Map<string, Line>();
  return {
    async acquire({ account, provider, ...ticket }, signal) {
      signal.throwIfAborted();
      const key = `${provider} ${account}`;
      const line = lines.get(key) ?? new Line(store, account, provider, minuteMs);
      lines.set(key, line);
      return line.acquire(ticket, signal);
    },
    async flush() {
      await Promise.all([...lines.values()].map((line) => line.flush()));
    },
  };
}

class Line {
  private readonly waiters = new Map<string, Waiter>();
  private reports: RateReport[] = [];
  private parked: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Infinity;
  private busy: Promise<void> | undefined;

  constructor(
    private readonly store: RateStore,
    private readonly account: string,
    private readonly provider: string,
    private readonly minuteMs: number,
  ) {}

  acquire(ticket: RateTicket, signal: AbortSignal): Promise<Acquired> {
    // An abandoned earlier attempt of the same question.
    this.waiters.get(ticket.ticket)?.end({ kind: 'wait', waitMs: this.minuteMs * HOLD });
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (waiter.registered) this.report({ ticket: ticket.ticket, kind: 'released' });
        waiter.end(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const waiter: Waiter = {
        ticket,
        registered: false,
        since: Date.now(),
        end: (outcome) => {
          signal.removeEventListener('abort', onAbort);
          if (this.waiters.get(ticket.ticket) === waiter) this.waiters.delete(ticket.ticket);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiters.set(ticket.ticket, waiter);
      this.schedule(0);
    });
  }

  async flush(): Promise<void> {
    await this.busy;
    if (this.reports.length > 0) await this.exchange().catch(() => undefined);
    clearTimeout(this.timer);
  }

  private report(report: RateReport): void {
    if (this.reports.length < MOST_REPORTS) this.reports.push(report);
    // A refusal at once, since it concerns all; the others in batches.
    this.schedule(report.kind === 'limited' ? 0 : this.minuteMs * SHORTEST_POLL);
  }

  private schedule(delayMs: number): void {
    const at = Date.now() + delayMs;
    if (at >= this.dueAt) return;
    this.dueAt = at;
    clearTimeout(this.timer);
    if (this.busy !== undefined) return; // looked at when that is over
    this.timer = setTimeout(() => this.run(), delayMs);
  }

  private run(): void {
    this.dueAt = Infinity;
    this.busy = this.exchange()
      .catch((error: unknown) => {
        for (const waiter of [...this.waiters.values()])
          waiter.end(error instanceof Error ? error : new Error(String(error)));
        if (this.reports.length > 0) this.schedule(this.minuteMs * LONGEST_POLL);
      })
      .finally(() => {
        this.busy = undefined;
        const due = this.dueAt;
        this.dueAt = Infinity;
        if (due < Infinity) this.schedule(Math.max(0, due - Date.now()));
      });
  }

  private async exchange(): Promise<void> {
    const { reports, parked } = this;
    this.reports = [];
    this.parked = [];
    const asked = [...this.waiters.values()];
    const arrivals = asked.filter(({ registered }) => !registered).map(({ ticket }) => ticket);
    asked.forEach((waiter) => (waiter.registered = true));
    const exchange = {
      ...{ account: this.account, provider: this.provider, arrivals, reports, parked },
      attending: asked.map(({ ticket }) => ticket.ticket),
    };
    const answer = await this.store.exchange(exchange, this.minuteMs).catch((error: unknown) => {
      this.reports = [...reports, ...this.reports].slice(0, MOST_REPORTS);
      throw error;
    });
    const current = new Map(asked.map((waiter) => [waiter.ticket.ticket, waiter]));
    for (const ticket of answer.granted) {
      const waiter = current.get(ticket);
      // An aborted call has reported itself already.
      if (waiter !== undefined && this.waiters.get(ticket) === waiter)
        waiter.end({ kind: 'granted', grant: this.grant(ticket) });
    }
    let soonest = Infinity;
    for (const { ticket, ms } of answer.expected) {
      const waiter = current.get(ticket);
      if (waiter === undefined || this.waiters.get(ticket) !== waiter) continue;
      if (this.holds(waiter, ms)) soonest = Math.min(soonest, ms);
      else {
        this.parked.push(ticket);
        waiter.end({ kind: 'wait', waitMs: jittered(clamp(ms / 2, this.minuteMs / 12, this.minuteMs / 2)) });
      }
    }
    if (this.parked.length > 0) this.schedule(0);
    else if (this.waiters.size > 0) {
      const poll = clamp(soonest, this.minuteMs * SHORTEST_POLL, this.minuteMs * LONGEST_POLL);
      this.schedule(jittered(poll));
    }
  }

  /** Wait here if the grant is expected soon? */
  private holds(waiter: Waiter, expectedMs: number): boolean {
    const hold = this.minuteMs * HOLD;
    const waited = Date.now() - waiter.since;
    if (waited < hold) return expectedMs < 2 * hold;
    return waited < 2 * hold && expectedMs < hold / 4;
  }

  private grant(ticket: string): RateGrant {
    let over = false;
    const once = (report: RateReport): void => {
      if (!over) this.report(report);
      over = true;
    };
    return {
      settled: (tokens, stated) => once({ ticket, kind: 'settled', tokens, stated }),
      limited: (refusal) => once({ ticket, kind: 'limited', ...refusal }),
      released: () => once({ ticket, kind: 'released' }),
    };
  }
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Keeps workers out of step. */
const jittered = (ms: number): number => Math.round(ms * (0.8 + Math.random() * 0.4));
