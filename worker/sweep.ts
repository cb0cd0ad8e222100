import type { Backends } from '../activities/backends.js';
import { recordNetworkRequests } from '../activities/network-events.js';
import type { RunStore } from '../domain/ports/run-store.js';
import { BACKENDS } from '../domain/run.js';
import type { Logger } from './logger.js';

/** Remove sandboxes of this home whose run has ended: what a crash between a run's end and its cleanup left behind. */
export async function sweepEndedRuns(store: RunStore, backends: Backends, log: Logger): Promise<void> {
  for (const backend of BACKENDS) {
    const { sandbox } = backends[backend];
    try {
      for (const ref of await sandbox.list()) {
        if (!(await store.runEnded(ref.runId).catch(() => false))) continue;
        await recordNetworkRequests(store, sandbox, ref, { close: true });
        await sandbox.stop(ref);
        log.info({ runId: ref.runId, epoch: ref.epoch, backend }, 'removed the sandbox of an ended run');
      }
    } catch (error) {
      // Machines without an engine are ordinary; one that is down is reported by the runs that need it.
      log.debug({ backend, error: String(error) }, 'sweep of ended runs: the backend does not answer');
    }
  }
}
