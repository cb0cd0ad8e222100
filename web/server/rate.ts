export class Rate {
  private readonly windows = new Map<string, { since: number; count: number }>();

  constructor(
    private readonly most: number,
    private readonly windowMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  take(key: string): boolean {
    const window = this.window(key);
    window.count++;
    return window.count <= this.most;
  }

  private window(key: string): { since: number; count: number } {
    const now = this.now();
    const known = this.windows.get(key);
    if (known !== undefined && now - known.since < this.windowMs) return known;
    if (this.windows.size > 10_000)
      for (const [old, { since }] of this.windows) if (now - since >= this.windowMs) this.windows.delete(old);
    const fresh = { since: now, count: 0 };
    this.windows.set(key, fresh);
    return fresh;
  }
}
