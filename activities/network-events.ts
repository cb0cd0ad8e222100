import type { EventLog } from '../domain/ports/record/events.js';
import type { SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';

/** Reports of a sandbox that are events already: those of a worker that died are written again, which changes nothing. */
const written = new Map<string, number>();

/**
 * Write what an agent asked the network for as the run's events `network_request`. `close`: the sandbox is about to go, its
 * network ends first. Harmless to repeat: a report has one key for ever.
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
