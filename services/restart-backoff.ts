/**
 * Runs wait while a service is away, so even one that was killed many times in a row starts again
 * within seconds. A service that cannot start costs less than a tenth of a core at this pace.
 */
export class RestartBackoff {
  private failures = 0;

  constructor(
    private readonly firstMs = 200,
    private readonly longestMs = 3000,
    private readonly forgetAfterHealthyMs = 10_000,
  ) {}

  /** `healthyMs`: health of the process that ended; 0: it never was. */
  nextDelay(healthyMs: number): number {
    if (healthyMs >= this.forgetAfterHealthyMs) this.failures = 0;
    const delay = Math.min(this.longestMs, this.firstMs * 2 ** Math.min(this.failures, 20));
    this.failures += 1;
    return delay;
  }
}
