import type { Backends } from '../domain/ports/backends.js';
import { recordNetworkRequests } from '../activities/network-events.js';
import type { Leftover } from '../domain/ports/leftovers-port.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import { BACKENDS, type Backend } from '../domain/run.js';
import type { Logger } from './logger.js';

/** Sandboxes removed side by side: killed trainers leave several a second, and an engine takes up to a second for each. */
const AT_ONCE = 4;

type Store = EventLog & Pick<RunLifecycle, 'runStates'>;

/**
 * Remove what no live run owns: sandboxes, evaluators, volumes, folders and mounts that a crash left behind. Touches only what has
 * this home's label. A run owns it until it ends, unless it belongs to an earlier container. Each removal is an event. Returns the
 * backends with nothing left to remove.
 */
export async function reap(
  store: Store,
  backends: Backends,
  log: Pick<Logger, 'info' | 'warn' | 'debug'>,
): Promise<Backend[]> {
  const clear: Backend[] = [];
  for (const backend of BACKENDS) {
    try {
      if (await reapBackend(store, backends, backend, log)) clear.push(backend);
    } catch (error) {
      // Machines without an engine are ordinary; one that is down is reported by the runs that need it.
      log.debug({ backend, error: String(error) }, 'reaper: the backend does not answer');
    }
  }
  return clear;
}

async function reapBackend(
  store: Store,
  backends: Backends,
  backend: Backend,
  log: Pick<Logger, 'info' | 'warn' | 'debug'>,
): Promise<boolean> {
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
  const removeUnowned = async (some: Iterable<Leftover>): Promise<void> => {
    for (const one of some) {
      const why = whyUnowned(one, runs);
      if (why === null) continue;
      const { what, name, runId } = one;
      try {
        if (!(await one.remove())) continue;
        // Runs that the database does not know have no events.
        const known = runId !== null && runs.has(runId) ? runId : null;
        const detail = `${what} ${name} on ${backend} was removed: ${why}`;
        await store.addEvent({
          runId: known,
          batchId: null,
          kind: 'reaped',
          key: `reaped-${name}-${Date.now()}`,
          detail,
        });
        log.info({ runId, backend, what, name, why }, 'removed a leftover');
      } catch (error) {
        // The next round tries again; do not hold up the others.
        log.warn({ runId, backend, what, name, error: String(error) }, 'could not remove a leftover');
        clear = false;
      }
    }
  };
  const each = sandboxes.values();
  await Promise.all(Array.from({ length: AT_ONCE }, () => removeUnowned(each)));
  // In order: a mount goes before its folder.
  await removeUnowned(others);
  return clear;
}

/** Null: a live run owns it. */
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
