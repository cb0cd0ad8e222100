/** How a provider enforces its limits. */
export const ENFORCEMENTS = ['bucket of a minute', 'bucket of a second', 'sliding minute', 'calendar minute'] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

export interface PhaseLimits {
  requests: number;
  tokens: number;
}

export type Verdict = { ok: true } | { ok: false; dimension: 'requests' | 'tokens'; retryAfterMs: number };

/** A provider's rate limiter, whose limits may change at any moment; `now` only grows. */
export class SimulatedLimiter {
  private readonly level = { requests: 0, tokens: 0 };
  private at = 0;
  private past: { at: number; requests: number; tokens: number }[] = [];

  constructor(
    private readonly enforcement: Enforcement,
    private readonly minuteMs: number,
    public limits: PhaseLimits,
  ) {
    for (const one of ['requests', 'tokens'] as const) this.level[one] = this.capacity(one);
  }

  /** A call of this many tokens arrives. */
  ask(now: number, tokens: number): Verdict {
    const wanted = { requests: 1, tokens };
    if (this.enforcement.startsWith('bucket')) {
      for (const one of ['requests', 'tokens'] as const) {
        const filled = this.level[one] + (this.limits[one] * (now - this.at)) / this.minuteMs;
        this.level[one] = Math.min(filled, this.capacity(one));
      }
      this.at = now;
      for (const one of ['requests', 'tokens'] as const) {
        const missing = Math.min(wanted[one], this.capacity(one)) - this.level[one];
        if (missing > 1e-9)
          return { ok: false, dimension: one, retryAfterMs: (missing / this.limits[one]) * this.minuteMs };
      }
      for (const one of ['requests', 'tokens'] as const) this.level[one] -= wanted[one];
      return { ok: true };
    }
    const start =
      this.enforcement === 'sliding minute' ? now - this.minuteMs : Math.floor(now / this.minuteMs) * this.minuteMs;
    this.past = this.past.filter((call) => call.at > start || (call.at === start && start !== now - this.minuteMs));
    for (const one of ['requests', 'tokens'] as const) {
      const used = this.past.reduce((sum, call) => sum + call[one], 0);
      if (used + wanted[one] <= this.limits[one]) continue;
      // Until enough has left the window for this call.
      let over = used + wanted[one] - this.limits[one];
      const last = this.past.find((call) => (over -= call[one]) <= 0);
      const free = (this.enforcement === 'sliding minute' ? (last?.at ?? now) : start) + this.minuteMs - now;
      return { ok: false, dimension: one, retryAfterMs: Math.max(1, free) };
    }
    this.past.push({ at: now, ...wanted });
    return { ok: true };
  }

  private capacity(one: 'requests' | 'tokens'): number {
    return this.enforcement === 'bucket of a second'
      ? Math.max(this.limits[one] / 60, one === 'requests' ? 1 : 0)
      : this.limits[one];
  }
}
