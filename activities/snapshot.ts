import { SandboxLost } from '../domain/errors.js';
import type { HostActivities, SnapshotArgs } from '../domain/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { Backends } from '../domain/ports/backends.js';
import { cancellation } from './cancellation.js';
import type { RunDefinitions } from './run-definitions.js';

export interface SnapshotPorts {
  store: EventLog & SnapshotLog;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
}

/** Of tasks without a limit on the workspace. */
const MOST_MB = 20_480;

export function snapshotActivities(ports: SnapshotPorts): Pick<HostActivities, 'snapshot'> {
  return { snapshot: (args) => snapshot(ports, args, cancellation()) };
}

/** Keep the workspace as it is between two commands. What goes wrong costs time when the container is lost, and nothing else. */
async function snapshot(ports: SnapshotPorts, args: SnapshotArgs, signal: AbortSignal): Promise<void> {
  const { store, artifacts } = ports;
  const { runId, step, epoch, reason } = args;
  if ((await store.snapshotAt(runId, step))?.step === step) return;
  const run = await ports.definitions.get(runId);
  const { sandbox } = ports.backends[run.backend];
  const maxBytes = (run.task.limits.workspaceMb ?? MOST_MB) * 1024 * 1024;
  try {
    const { sha256, bytes } = await artifacts.putStream(sandbox.snapshot({ runId, epoch }, { maxBytes }, signal));
    await store.saveSnapshot({ runId, step, epoch, artifact: sha256, bytes, reason });
  } catch (error) {
    signal.throwIfAborted();
    // The next command finds that out, and has it restored.
    if (error instanceof SandboxLost) return;
    const detail = `no snapshot after step ${step}: ${(error as Error).message}`.slice(0, 2000);
    await store.addEvent({ runId, batchId: run.batchId, kind: 'snapshot_failed', key: `snapshot-${step}`, detail });
  }
}
