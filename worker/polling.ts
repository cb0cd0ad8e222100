import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import type { Logger } from './logger.js';

export type QueueWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

const RETRY_MS = 1000;

/** Suspending returns activities as a stop does; commands continue. Resuming makes new workers. */
export class Polling {
  #workers: readonly QueueWorker[] = [];
  #stopped = false;
  /** Workers are ending for a suspension, perhaps already resumed. */
  #replaced = false;
  #suspension: { over: Promise<void>; end: () => void } | null = null;

  constructor(
    private readonly create: () => Promise<QueueWorker>[],
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  get suspended(): boolean {
    return this.#suspension !== null;
  }

  /** Rejects if the server refuses a worker. */
  async prepare(): Promise<void> {
    this.#workers = await Promise.all(this.create());
  }

  /** Rejects if a worker fails while it should poll. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const running = this.#workers.map((worker) => worker.run());
      if (this.suspended) shutDown(this.#workers);
      try {
        await Promise.all(running);
      } catch (error) {
        // A suspension abandons what does not end in time.
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

  stop(): void {
    this.#stopped = true;
    this.resume();
    shutDown(this.#workers);
  }

  async #createAgain(): Promise<readonly QueueWorker[]> {
    while (!this.suspended && !this.#stopped) {
      const created = await Promise.allSettled(this.create());
      const workers = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      if (workers.length === created.length && !this.suspended && !this.#stopped) return workers;
      // One worker per queue and process: those that wait would refuse their successors.
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
