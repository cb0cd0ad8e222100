import { newRunId } from '../../../domain/ids.js';
import type { KeptDisks, SandboxRef, SandboxSpec } from '../../../domain/ports/sandbox-port.js';
import { withEngineErrors, eachWithEngineErrors } from '../engine-errors.js';
import { keepDisk, keptDisk } from '../kept-disks.js';
import { containerName } from '../sandbox-container.js';
import { snapshotOf } from '../snapshot-container.js';
import { hasDisk } from '../workspace-disk.js';
import { containerOf, foldersOf, type SandboxContext } from './context.js';
import { remove } from './remove.js';
import { createStarted } from './start.js';
import { eachOnIntactDisk, mountIntact, onIntactDisk } from './intact-disk.js';

interface SnapshotLimits {
  maxBytes: number;
}

export const snapshot = (
  context: SandboxContext,
  ref: SandboxRef,
  limits: SnapshotLimits,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> =>
  eachOnIntactDisk(context, ref, () => snapshotOf(containerOf(context, ref), limits, signal));

export const keptDisks = (context: SandboxContext): KeptDisks => ({
  keep: (ref, name, limits) =>
    withEngineErrors(`keeping the disk of run ${ref.runId}`, () => keep(context, ref, name, limits)),
  has: async (name) => (await keptDisk(context.layout.disks, name)) !== null,
  archive: (name, limits, signal) =>
    eachWithEngineErrors(`the archive of ${name}`, archiveOf(context, name, limits, signal)),
});

async function keep(
  context: SandboxContext,
  ref: SandboxRef,
  name: string,
  limits: SnapshotLimits,
): Promise<{ bytes: number } | null> {
  const folders = foldersOf(context, ref);
  if (!hasDisk(folders.dir)) return null;
  // Throws if the container is gone.
  await containerOf(context, ref).inspect();
  await mountIntact(context, ref);
  return await onIntactDisk(context, ref, () => keepDisk(context.layout.disks, name, folders, limits));
}

/** Archive of a kept disk, by a sandbox that starts from it and runs nothing. */
async function* archiveOf(
  context: SandboxContext,
  name: string,
  limits: SnapshotLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const ref = { runId: newRunId(), epoch: 1 };
  const made = containerName(context.homeTag, ref);
  context.archiving.add(made);
  try {
    const plain = await context.image();
    const spec: SandboxSpec = {
      ...ref,
      starterDir: '',
      restore: { disk: name },
      network: 'none',
      gpuDevices: [],
      limits: { memoryMb: 512, cpus: 1, pids: 64 },
    };
    await createStarted(context, spec, { plain, image: plain });
    yield* snapshot(context, ref, limits, signal);
  } finally {
    await remove(context, ref);
    context.archiving.delete(made);
  }
}
