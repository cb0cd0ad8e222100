import type { EventLog } from '../domain/ports/record/events.js';
import type { SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';

/** Reports already stored, by sandbox. Rewriting them after a worker's death changes nothing. */
const written = new Map<string, number>();

/** `close`: closes the network first, before the sandbox's removal. Idempotent: keys are fixed. */
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
