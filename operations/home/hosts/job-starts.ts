import type { HostRow } from '../../../domain/views/hosts.js';
import { isOf, lives } from './needed-jobs.js';
import type { QueuedJob } from './slurm-jobs.js';

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** What jobs offered may have changed since. */
const BACKENDS_MS = 60 * 60_000;

/** What is known of jobs from one look to the next. Where they die at their start, one is tried at a time, ever more seldom. */
export class JobStarts {
  /** Whose hosts have not registered. */
  readonly #awaited = new Set<string>();
  readonly #registered = new Set<string>();
  #failures = 0;
  #notBefore = 0;
  #offered: { backends: readonly string[]; at: number } | undefined;

  /** They have left the queue, and nobody has seen their hosts. */
  gone(jobs: readonly QueuedJob[]): string[] {
    const queued = new Set(jobs.filter(({ state }) => state !== 'ending').map(({ jobId }) => jobId));
    return [...this.#awaited].filter((jobId) => !queued.has(jobId));
  }

  /** Those that ended before their host had registered. `hosts`: with removed ones, if any job is gone. */
  look(
    now: number,
    jobs: readonly QueuedJob[],
    hosts: readonly Pick<HostRow, 'hostId' | 'state' | 'backends'>[],
  ): string[] {
    const known = jobs.map(({ jobId }) => jobId);
    for (const jobId of this.#registered) if (!known.includes(jobId)) this.#registered.delete(jobId);
    for (const { jobId, state } of jobs)
      if (state !== 'ending' && !this.#registered.has(jobId)) this.#awaited.add(jobId);
    const living = hosts.filter((host) => lives(host) && jobs.some((job) => isOf(job, host)));
    if (living.length > 0) this.#offered = { backends: living.flatMap(({ backends }) => backends), at: now };

    let ran = false;
    for (const jobId of this.#awaited)
      if (hosts.some((host) => isOf({ jobId, state: 'running' }, host))) {
        this.#awaited.delete(jobId);
        this.#registered.add(jobId);
        ran = true;
      }
    if (ran) [this.#failures, this.#notBefore] = [0, 0];
    const failed = this.gone(jobs);
    for (const jobId of failed) this.#awaited.delete(jobId);
    if (failed.length > 0) {
      this.#notBefore = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
      this.#failures += 1;
    }
    return failed;
  }

  /** What jobs offered when they were last seen; undefined: nobody knows. */
  backends(now: number): readonly string[] | undefined {
    return this.#offered !== undefined && now - this.#offered.at < BACKENDS_MS ? this.#offered.backends : undefined;
  }

  /** Of so many that are needed. */
  allowed(now: number, needed: number): number {
    if (this.#failures === 0) return needed;
    return now < this.#notBefore || this.#awaited.size > 0 ? 0 : Math.min(1, needed);
  }

  secondsToNext(now: number): number {
    return Math.ceil(Math.max(0, this.#notBefore - now) / 1000);
  }

  submitted(jobId: string): void {
    this.#awaited.add(jobId);
  }

  /** Told to end: no failure of its own. */
  dismissed(jobId: string): void {
    this.#awaited.delete(jobId);
    this.#registered.add(jobId);
  }
}
