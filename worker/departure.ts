import { setTimeout as sleep } from 'node:timers/promises';
import { RunDefinitions } from '../activities/run-definitions.js';
import { takeSnapshot } from '../activities/snapshot.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Backends } from '../domain/ports/backends.js';
import type { Departure } from '../domain/ports/departure.js';
import type { RunStore } from '../domain/ports/run-store.js';
import { keepsSnapshots } from '../domain/requests/run-options.js';
import { BACKENDS } from '../domain/run/run.js';
import type { Logger } from './logger.js';

export interface DepartureParts {
  store: RunStore;
  backends: Backends;
  artifacts: ArtifactStore;
  sharesArtifacts: boolean;
  hostId: string;
  graceSeconds: number;
  isLent: boolean;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Share of the grace time for running commands; the rest is for archives and clean-up. */
const FOR_COMMANDS = 0.6;
const LOOK_MS = 250;
/** Between a process's end and this worker's signal, both from the batch system. */
const MOMENT_MS = 1000;
const MOST_BEAT_MS = 2000;

/**
 * How a host leaves: nothing starts, commands may end, snapshots are taken, and workflows move.
 * Runs that are late continue on the next host from their last snapshot.
 */
export class HostDeparture implements Departure {
  #begunAt: number | null = null;
  #running = 0;
  readonly #settled = new Map<string, number>();
  readonly #kept = new Map<string, Promise<void>>();
  readonly #over = new AbortController();
  readonly #definitions: RunDefinitions;

  constructor(private readonly parts: DepartureParts) {
    this.#definitions = new RunDefinitions(parts.store);
  }

  get begun(): boolean {
    return this.#begunAt !== null;
  }

  async underWay(): Promise<boolean> {
    if (!this.begun && this.parts.isLent) await sleep(MOMENT_MS);
    return this.begun;
  }

  enter(runId: string): void {
    this.#running += 1;
    this.#settled.delete(runId);
  }

  leave(runId: string, settled: number | null): void {
    this.#running -= 1;
    if (settled !== null) this.#settled.set(runId, settled);
  }

  keep({ runId, epoch, step }: { runId: string; epoch: number; step: number }): Promise<void> {
    const key = `${runId}-${epoch}`;
    const keeping = this.#kept.get(key) ?? this.#keep({ runId, epoch, step });
    this.#kept.set(key, keeping);
    return keeping;
  }

  async #keep(at: { runId: string; epoch: number; step: number }): Promise<void> {
    if (at.step === 0) return;
    try {
      const run = await this.#definitions.get(at.runId);
      if (run.agent.program !== undefined || !keepsSnapshots(run, run.task)) return;
      await takeSnapshot(
        { ...this.parts, definitions: this.#definitions },
        { ...at, reason: 'leaving' },
        this.#over.signal,
      );
    } catch (error) {
      this.parts.log.warn({ ...at, error: String(error) }, 'could not save the state of a run for its handover');
    }
  }

  /** `announce`: registers the host as leaving. Returns when the worker is to stop. */
  async begin(why: string, announce: () => Promise<void>): Promise<void> {
    const { store, hostId, log, graceSeconds } = this.parts;
    this.#begunAt = Date.now();
    await this.#tryUntil(graceSeconds * FOR_COMMANDS, announce);
    const runs = await store.placedRuns(hostId).catch(() => []);
    log.info({ hostId, runs: runs.length, graceSeconds }, `leaving: ${why}`);
    await store
      .addEvent({
        ...{ runId: null, batchId: null, kind: 'host_leaving', key: `host-leaves-${hostId}-${this.#begunAt}` },
        detail: `host ${hostId} is leaving within ${graceSeconds} s (${why}); runs to hand over: ${runs.length}`,
      })
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not record that the host is leaving'));
    void Promise.all(
      runs.filter((run) => run.idle && this.#settled.get(run.runId) === run.epoch).map((run) => this.keep(run)),
    );
    while (this.#passedSeconds() < graceSeconds * FOR_COMMANDS) {
      const left = await store.placedRuns(hostId).catch(() => null);
      if (left?.length === 0 && this.#running === 0) return;
      await sleep(LOOK_MS);
    }
  }

  /**
   * After the worker has stopped: makes archives and removes all sandboxes. Registers meanwhile,
   * since runs do not wait for silent hosts. `stopBeating`: a later registration would bring the
   * host back.
   */
  async finish({
    archive,
    stopBeating,
  }: {
    archive: () => Promise<void>;
    stopBeating: () => Promise<void>;
  }): Promise<void> {
    const { store, hostId, log, graceSeconds, backends } = this.parts;
    const soon = sleep(Math.max(1000, (graceSeconds * 0.9 - this.#passedSeconds()) * 1000), undefined, { ref: false });
    const work = async (): Promise<void> => {
      await Promise.all(this.#kept.values());
      await archive();
    };
    await Promise.race([work().catch((error: unknown) => log.warn({ error: String(error) }, 'archives')), soon]);
    this.#over.abort(new Error('the host has left'));
    const silent = stopBeating();
    const stopped = BACKENDS.map(async (backend) => {
      const { sandbox } = backends[backend];
      await Promise.all((await sandbox.list()).map((ref) => sandbox.stop(ref)));
    });
    // An unreachable engine has no sandboxes of ours.
    await Promise.race([Promise.allSettled(stopped), soon]);
    await Promise.race([silent.catch(() => undefined), sleep(MOST_BEAT_MS, undefined, { ref: false })]);
    await this.#tryUntil(graceSeconds, () =>
      store.hostLeft(hostId, `host ${hostId} has left; its runs are handed over`),
    );
    log.info({ hostId, seconds: Math.round(this.#passedSeconds()) }, 'left');
  }

  #passedSeconds(): number {
    return (Date.now() - (this.#begunAt ?? Date.now())) / 1000;
  }

  async #tryUntil(seconds: number, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        this.parts.log.warn({ error: String(error) }, 'leaving: PostgreSQL does not answer');
        if (this.#passedSeconds() > seconds) return;
        await sleep(500);
      }
    }
  }
}
