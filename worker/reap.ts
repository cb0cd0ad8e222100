import { setTimeout as sleep } from 'node:timers/promises';
import type { Backends } from '../domain/ports/backends.js';
import { recordNetworkRequests } from '../activities/network-events.js';
import type { Leftover } from '../domain/ports/leftovers-port.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import { BACKENDS, type Backend } from '../domain/run/run.js';
import type { Logger } from './logger.js';

/** Killed trainers leave several sandboxes a second, and each may take a second. */
const AT_ONCE = 4;
/** A round's limit for slow removals; the next round continues. */
const ROUND_MS = 10_000;
const underway = new Set<string>();

type Store = EventLog & Pick<RunLifecycle, 'runStates'>;

/**
 * Removes what a crash left: sandboxes, evaluators, volumes, folders and mounts with this home's
 * label that no live run owns in its current container. Each removal is an event. Returns the clean
 * backends.
 */
export async function reap(
  store: Store,
  backends: Backends,
  log: Pick<Logger, 'info' | 'warn' | 'debug'>,
  roundMs = ROUND_MS,
): Promise<Backend[]> {
  const clear: Backend[] = [];
  for (const backend of BACKENDS) {
    try {
      if (await reapBackend({ store, backends, log, roundMs }, backend)) clear.push(backend);
    } catch (error) {
      // Machines without an engine are ordinary; runs report one that is down.
      log.debug({ backend, error: String(error) }, 'reaper: the backend does not answer');
    }
  }
  return clear;
}

interface Round {
  store: Store;
  backends: Backends;
  log: Pick<Logger, 'info' | 'warn' | 'debug'>;
  roundMs: number;
}

async function reapBackend({ store, backends, log, roundMs }: Round, backend: Backend): Promise<boolean> {
  const { sandbox, leftovers } = backends[backend];
  // List before reading rows, so that nothing made meanwhile is removed.
  const sandboxes = (await sandbox.list()).map((ref): Leftover => ({
    what: 'sandbox',
    name: `${ref.runId}-${ref.epoch}`,
    ...ref,
    abandoned: false,
    remove: async () => {
      await recordNetworkRequests(store, sandbox, ref, { close: true });
      await sandbox.stop(ref);
      return true;
    },
  }));
  const others = await leftovers.find();
  const runs = await store.runStates([...new Set([...sandboxes, ...others].flatMap(({ runId }) => runId ?? []))]);
  let clear = true;
  const removeUnlessOwned = async (one: Leftover): Promise<void> => {
    const why = whyUnowned(one, runs);
    if (why === null) return;
    const { what, name, runId } = one;
    try {
      if (!(await one.remove())) return;
      // Runs that the database does not know have no events.
      const known = runId !== null && runs.has(runId) ? runId : null;
      const detail = `${what} ${name} on ${backend} was removed: ${why}`;
      await store.addEvent({
        runId: known,
        batchId: null,
        kind: 'sandbox_reaped',
        key: `reaped-${name}-${Date.now()}`,
        detail,
      });
      log.info({ runId, backend, what, name, why }, 'removed a leftover');
    } catch (error) {
      // Leave it to the next round, and continue with others.
      log.warn({ runId, backend, what, name, error: String(error) }, 'could not remove a leftover');
      clear = false;
    }
  };
  if (!(await sideBySide(sandboxes, removeUnlessOwned, roundMs))) clear = false;
  // In order: a mount goes before its folder.
  for (const one of others) await removeUnlessOwned(one);
  return clear;
}

/** False: some removals have not ended. */
async function sideBySide(
  sandboxes: readonly Leftover[],
  remove: (one: Leftover) => Promise<void>,
  roundMs: number,
): Promise<boolean> {
  let over = false;
  const fresh = sandboxes.filter(({ name }) => !underway.has(name));
  const left = fresh.values();
  const lane = async (): Promise<void> => {
    for (const one of left) {
      if (over) return;
      underway.add(one.name);
      await remove(one).finally(() => underway.delete(one.name));
    }
  };
  const ended = Promise.all(Array.from({ length: AT_ONCE }, lane)).then(() => fresh.length === sandboxes.length);
  const all = await Promise.race([ended, sleep(roundMs, false, { ref: false })]);
  over = true;
  return all;
}

function whyUnowned(
  { runId, epoch, abandoned }: Leftover,
  runs: ReadonlyMap<string, { ended: boolean; epoch: number }>,
): string | null {
  if (abandoned) return 'its worker died';
  if (runId === null) return null;
  const run = runs.get(runId);
  if (run === undefined) return 'its run is not in the database';
  if (run.ended) return 'its run has ended';
  if (epoch !== null && epoch < run.epoch) return `its run moved to container ${run.epoch}`;
  return null;
}
