import type { EventLog } from '../domain/ports/record/events.js';
import type { SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';

/** How many reports of a sandbox are stored already. After a worker's death they are written again, which changes nothing. */
const written = new Map<string, number>();

/**
 * Store the agent's network requests as events `network_request` of the run. `close`: the sandbox is about to be removed, so its
 * network is closed first. Safe to repeat: a report always has the same key.
 */
export async function recordNetworkRequests(
  store: EventLog,
  sandbox: SandboxPort,
  ref: SandboxRef,
  { close }: { close: boolean },
): Promise<void> {
  const { runId, epoch } = ref;
  const id = `${runId}/${epoch}`;
  const known = written.get(id) ?? 0;
  for (const { n, detail } of await sandbox.networkRequests(ref, { close })) {
    if (n <= known) continue;
    await store.addEvent({ runId, batchId: null, kind: 'network_request', key: `network-${epoch}-${n}`, detail });
    written.set(id, n);
  }
  if (close) written.delete(id);
}
