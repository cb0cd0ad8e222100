import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import type { Logger } from './logger.js';

export type QueueWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

const RETRY_MS = 1000;

/**
 * The polling of all queues of this process. Suspended, no queue is polled, and what was running is given back as when a worker
 * stops: commands continue in their sandboxes and are found again. Resumed, the queues are polled by new workers.
 */
export class Polling {
  #workers: readonly QueueWorker[] = [];
  #stopped = false;
  /** The workers that run end because polling was suspended, even if it is resumed before they have ended. */
  #replaced = false;
  #suspension: { over: Promise<void>; end: () => void } | null = null;

  constructor(
    private readonly create: () => Promise<QueueWorker>[],
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  get suspended(): boolean {
    return this.#suspension !== null;
  }

  /** Creates the first workers: rejects if the server refuses one. */
  async prepare(): Promise<void> {
    this.#workers = await Promise.all(this.create());
  }

  /** Polls until it is stopped. Rejects if a worker fails while it is to poll. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const running = this.#workers.map((worker) => worker.run());
      if (this.suspended) shutDown(this.#workers);
      try {
        await Promise.all(running);
      } catch (error) {
        // What does not end in time when polling is suspended is given up.
        if (!this.#replaced || this.#stopped) throw error;
      }
      await Promise.allSettled(running);
      await this.#suspension?.over;
      this.#workers = await this.#createAgain();
      this.#replaced = false;
    }
  }

  suspend(): void {
    if (this.suspended || this.#stopped) return;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.#suspension = { over, end };
    this.#replaced = true;
    shutDown(this.#workers);
  }

  resume(): void {
    this.#suspension?.end();
    this.#suspension = null;
  }

  /** For good. Idempotent. */
  stop(): void {
    this.#stopped = true;
    this.resume();
    shutDown(this.#workers);
  }

  /** None while it is suspended again, or stopped. */
  async #createAgain(): Promise<readonly QueueWorker[]> {
    while (!this.suspended && !this.#stopped) {
      const created = await Promise.allSettled(this.create());
      const workers = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      if (workers.length === created.length && !this.suspended && !this.#stopped) return workers;
      // A queue has one worker of this process: those that wait for others would refuse their successors.
      await Promise.allSettled(workers.map((worker) => endUnused(worker)));
      for (const one of created)
        if (one.status === 'rejected') this.log.warn({ error: String(one.reason) }, 'cannot poll again yet');
      await sleep(RETRY_MS);
    }
    return [];
  }
}

function shutDown(workers: readonly QueueWorker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

async function endUnused(worker: QueueWorker): Promise<void> {
  const running = worker.run();
  worker.shutdown();
  await running;
}
