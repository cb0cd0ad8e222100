import { SandboxLost } from '../domain/errors.js';
import type { HostActivities, SnapshotArgs } from '../domain/model/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { Backends } from '../domain/ports/backends.js';
import type { SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';
import { mostBytes } from '../domain/run/limits.js';
import { cancellation } from './cancellation.js';
import type { RunDefinitions } from './run-definitions.js';

/** The run waits: a store that is silent for longer gets no snapshot. */
const STORE_SILENCE_MS = 15_000;

export interface SnapshotPorts {
  store: EventLog & SnapshotLog;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  hostId: string;
  /** Other hosts read the store too: archive kept disks there in advance. */
  sharesArtifacts: boolean;
}

export function snapshotActivities(ports: SnapshotPorts): Pick<HostActivities, 'snapshot'> {
  return { snapshot: (args) => snapshot(ports, args, cancellation()) };
}

export { snapshot as takeSnapshot };

/** Between two commands. A failure only costs time if the container is lost later. */
async function snapshot(ports: SnapshotPorts, args: SnapshotArgs, signal: AbortSignal): Promise<void> {
  const { store, artifacts } = ports;
  const { runId, step, epoch, reason, fence } = args;
  if ((await store.snapshotAt(runId, step))?.step === step) return;
  const run = await ports.definitions.get(runId);
  const { sandbox } = ports.backends[run.backend];
  const limits = { maxBytes: mostBytes(run) };
  try {
    const disk = `${runId}-${step}-${epoch}`;
    const kept = await keptDisk(sandbox, { runId, epoch }, disk, limits);
    signal.throwIfAborted();
    const archive = kept
      ? null
      : await artifacts.putStream(sandbox.snapshot({ runId, epoch }, limits, signal), {
          silenceMs: STORE_SILENCE_MS,
        });
    await store.saveSnapshot({
      ...{ runId, step, epoch, reason, fence },
      ...{ artifact: archive?.sha256 ?? null, bytes: archive?.bytes ?? null },
      ...{ disk: kept ? disk : null, diskHost: kept ? ports.hostId : null },
      archiveWanted: kept && ports.sharesArtifacts,
    });
  } catch (error) {
    signal.throwIfAborted();
    // The next command notices the loss and has it restored.
    if (error instanceof SandboxLost) return;
    const detail = `no snapshot after step ${step}: ${(error as Error).message}`.slice(0, 2000);
    await store.addEvent({ runId, batchId: run.batchId, kind: 'snapshot_failed', key: `snapshot-${step}`, detail });
  }
}

/** False: try an archive. */
async function keptDisk(
  { disks }: SandboxPort,
  ref: SandboxRef,
  name: string,
  limits: { maxBytes: number },
): Promise<boolean> {
  try {
    return disks !== undefined && (await disks.keep(ref, name, limits)) !== null;
  } catch (error) {
    if (error instanceof SandboxLost) throw error;
    // The host's disk may lack room; an archive may be smaller.
    return false;
  }
}
