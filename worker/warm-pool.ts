import { sandboxSpec } from '../activities/container.js';
import { newRunId } from '../domain/ids.js';
import type { Backends } from '../domain/ports/backends.js';
import type { RunDefinitions } from '../domain/ports/record/run-definitions.js';
import type { WarmSandboxes } from '../domain/ports/record/warm-sandboxes.js';
import type { Backend, RunDefinition } from '../domain/run/run.js';
import type { Logger } from './logger.js';

/** How long warm sandboxes stay without such an episode. */
const WANTED_S = 120;
/** Parallel removals: an engine takes up to a second for each. */
const AT_ONCE = 4;

export interface WarmPoolParts {
  store: WarmSandboxes & RunDefinitions;
  backends: Backends;
  hostId: string;
  taskFolder: (run: RunDefinition) => Promise<string>;
  most: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

export interface WarmPool {
  refill(): Promise<void>;
  /** Ends those of episodes that ended unused, and so have no workflow. */
  dropUnbegun(): Promise<void>;
  /** Ends unclaimed sandboxes; starts no more. */
  empty(): Promise<void>;
}

/**
 * Starts the next episodes' sandboxes ahead, as their first containers under their run ids, so that
 * the run's own start finds them. After a crash `empty` or the next start clears the record, and
 * the reaper removes the sandboxes.
 */
export function warmPool({ store, backends, hostId, taskFolder, most, log }: WarmPoolParts): WarmPool {
  let open = true;
  /** As `refill` last saw it: an idle host asks the database one thing only. */
  let mayHoldUnbegun = true;
  let starting: Promise<void> = Promise.resolve();
  let emptied: Promise<void> | undefined;

  async function startOne(key: string, like: RunDefinition): Promise<boolean> {
    const runId = newRunId();
    if (!(await store.beginWarm({ runId, hostId, key, most }))) return false;
    const { sandbox } = backends[like.backend];
    try {
      const taskDir = await taskFolder(like);
      await sandbox.start(sandboxSpec(like, { runId, epoch: 1, taskDir, gpuDevices: [], memory: null }));
      await store.warmIsReady(runId);
    } catch (error) {
      // Runs report what is wrong with an engine.
      log.warn({ key, error: String(error) }, 'could not start a sandbox for the warm pool');
      await sandbox.stop({ runId, epoch: 1 }).catch(() => undefined);
      await store.dropWarm(runId);
      return false;
    }
    return true;
  }

  async function end(exceptKeys: readonly string[]): Promise<void> {
    const forgotten = new Set(await store.forgetWarm(hostId, exceptKeys));
    if (forgotten.size === 0) return;
    for (const backend of ['docker', 'podman'] satisfies Backend[]) {
      const { sandbox } = backends[backend];
      // Without that engine it has no sandboxes.
      const there = await sandbox.list().catch(() => []);
      for (const ref of there.filter(({ runId }) => forgotten.has(runId))) await sandbox.stop(ref);
    }
    log.info({ sandboxes: forgotten.size }, 'removed the sandboxes of the warm pool');
  }

  async function refill(): Promise<void> {
    const { requests, registered } = await store.warmDemand(hostId, WANTED_S);
    mayHoldUnbegun = registered;
    const wanted = most === 0 ? [] : requests;
    if (registered) await end(wanted.map(({ key }) => key));
    for (const { key, runId } of wanted) {
      if (!open) return;
      if (await startOne(key, await store.definition(runId))) return;
    }
  }

  async function dropUnbegun(): Promise<void> {
    if (!mayHoldUnbegun) return;
    const unbegun = await store.takeUnbegunWarm(hostId, AT_ONCE);
    await Promise.all(
      unbegun.map(({ runId, backend }) =>
        backends[backend].sandbox
          .stop({ runId, epoch: 1 })
          .catch((error: unknown) => log.warn({ runId, error: String(error) }, 'left a sandbox to the reaper')),
      ),
    );
  }

  return {
    dropUnbegun,
    refill: () => (open ? (starting = refill()) : Promise.resolve()),
    empty() {
      open = false;
      emptied ??= starting.catch(() => undefined).then(() => end([]));
      return emptied;
    },
  };
}
