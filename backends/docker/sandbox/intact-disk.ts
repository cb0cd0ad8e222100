import { SandboxLost } from '../../../domain/errors.js';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { thawDisk } from '../copy-disk.js';
import { diskFault, hasDisk, mountDisk } from '../workspace-disk.js';
import { foldersOf, type SandboxContext } from './context.js';
import { remove } from './remove.js';

/** A result from a broken disk says nothing about the agent. Throws SandboxLost. */
async function removeIfDiskBroken(
  context: SandboxContext,
  ref: SandboxRef,
  before?: { mounted: boolean },
): Promise<void> {
  const { dir } = foldersOf(context, ref);
  await thawDisk(dir);
  const fault = await diskFault(dir, before);
  if (fault === null) return;
  await remove(context, ref);
  throw new SandboxLost(`the workspace's disk of run ${ref.runId} ${fault}`);
}

/** Checks the disk before and after; it must stay mounted. Throws SandboxLost. */
export async function onIntactDisk<T>(context: SandboxContext, ref: SandboxRef, work: () => Promise<T>): Promise<T> {
  const mounted = hasDisk(foldersOf(context, ref).dir);
  await removeIfDiskBroken(context, ref);
  const found = await work();
  await removeIfDiskBroken(context, ref, { mounted });
  return found;
}

/** The same for a stream; also checks when the reader leaves or fails. */
export async function* eachOnIntactDisk<T>(
  context: SandboxContext,
  ref: SandboxRef,
  pieces: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  const mounted = hasDisk(foldersOf(context, ref).dir);
  await removeIfDiskBroken(context, ref);
  try {
    yield* pieces();
  } finally {
    await removeIfDiskBroken(context, ref, { mounted });
  }
}

/** A reboot unmounts the disk, and files would seem missing. */
export async function mountIntact(context: SandboxContext, ref: SandboxRef): Promise<void> {
  const { dir } = foldersOf(context, ref);
  if (hasDisk(dir)) await mountDisk(dir);
  await removeIfDiskBroken(context, ref);
}
