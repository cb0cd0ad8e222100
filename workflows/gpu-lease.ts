import { condition, proxyActivities, sleep } from '@temporalio/workflow';
import type { CarriedRun, ControlActivities, Lease } from '../domain/model/messages.js';
import type { RunTicket } from '../domain/run/run.js';
import { controlOptions } from './activity-options.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** The pool may have been restarted. */
const ASK_AGAIN = '15 minutes';
/** Until the pool has looked which hosts take runs. */
const LOOK_MS = 1000;
/** On top of the run's time limit, whose clock stops while the run waits. */
const TTL_SLACK_S = 24 * 3600;

export class GpuLease {
  #held: Lease | null = null;
  #lastToken: number;
  readonly #ticket: RunTicket;

  constructor(ticket: RunTicket, carried: CarriedRun | null) {
    this.#ticket = ticket;
    this.#lastToken = carried?.lastToken ?? 0;
    const { token, hostId, devices } = carried?.place ?? {};
    if (token !== undefined && hostId !== undefined && devices !== undefined) this.#held = { token, hostId, devices };
  }

  /** Older grants belong to leases that were given up. */
  get lastToken(): number {
    return this.#lastToken;
  }

  granted(lease: Lease): void {
    if (this.#held !== null || lease.token <= this.#lastToken) return;
    this.#held = lease;
    this.#lastToken = lease.token;
  }

  /** Waits for all GPUs of the run at once, on a host that stays long enough. */
  async acquire(time: { seconds?: number }): Promise<Lease> {
    const { runId, gpus, batchId, wallSeconds, priority, backend } = this.#ticket;
    await control.waitingForGpu({ runId });
    for (;;) {
      while (this.#held === null) {
        await control.requestLease({
          ...{ runId, gpus, batchId, priority, backend, ...time },
          ...(wallSeconds === 0 ? {} : { ttlSeconds: wallSeconds + TTL_SLACK_S }),
        });
        await condition(() => this.#held !== null, ASK_AGAIN);
      }
      const lease: Lease = this.#held;
      if (await control.recordLease({ runId, lease })) return lease;
      // It was revoked before we got it.
      this.#held = null;
    }
  }

  /** Its host is lost: its GPUs are not leased until the host is back. */
  async abandon(): Promise<void> {
    const lease = this.#held;
    if (lease === null) return;
    this.#held = null;
    await control.abandonLease({ runId: this.#ticket.runId, lease });
  }

  /** Then waits a moment: the host may take runs again. */
  async giveBackAndPause(): Promise<void> {
    const lease = this.#held;
    if (lease === null) return;
    await control.releaseLease({ runId: this.#ticket.runId, token: lease.token, hostsChanged: true });
    this.#held = null;
    await sleep(LOOK_MS);
  }

  /** Also withdraws a request that was not granted. */
  async release(): Promise<void> {
    await control.releaseLease({ runId: this.#ticket.runId, token: this.#held?.token ?? null });
  }
}
