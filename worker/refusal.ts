import { BenchError } from '../domain/errors.js';
import type { Logger } from './logger.js';
import type { Polling } from './polling.js';

export const isRefusal = (error: unknown): error is BenchError => error instanceof BenchError && error.type === 'usage';

/** Stops a worker whose queues or name belong to another installation. */
export class Refusal {
  #error: BenchError | null = null;

  constructor(
    private readonly polling: Pick<Polling, 'stop'>,
    private readonly log: Pick<Logger, 'error'>,
    private readonly hostId: string,
  ) {}

  get error(): BenchError | null {
    return this.#error;
  }

  stopFor(error: BenchError, why: string): void {
    this.log.error({ hostId: this.hostId, error: error.message }, why);
    this.#error ??= error;
    this.polling.stop();
  }
}
