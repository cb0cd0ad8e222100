import type { RunStore } from '../domain/ports/run-store.js';
import type { Sandboxes } from '../activities/sandboxes.js';
import { BACKENDS } from '../domain/run.js';
import type { Logger } from './logger.js';

/** Remove sandboxes of this home whose run has ended: what a crash between a run's end and its cleanup left behind. */
export async function sweepEndedRuns(store: RunStore, sandboxes: Sandboxes, log: Logger): Promise<void> {
  for (const backend of BACKENDS) {
    try {
      // An engine that nobody used is not started, nor its images built, for the sweep.
      const sandbox = await sandboxes.ifAvailable(backend);
      if (sandbox === null) continue;
      for (const ref of await sandbox.list()) {
        if (!(await store.runEnded(ref.runId).catch(() => false))) continue;
        await sandbox.stop(ref);
        log.info({ runId: ref.runId, epoch: ref.epoch, backend }, 'removed the sandbox of an ended run');
      }
    } catch (error) {
      log.warn({ backend, error: String(error) }, 'sweep of ended runs failed; the next one tries again');
    }
  }
}
