import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { removeContainer } from '../container-life.js';
import { removeProxy } from '../network-proxy.js';
import { unmountDisk } from '../workspace-disk.js';
import { containerOf, foldersOf, type SandboxContext } from './context.js';

/** Removes container, proxy, disk and folders. Throws the engine's errors. */
export async function remove(context: SandboxContext, ref: SandboxRef): Promise<void> {
  await removeContainer(containerOf(context, ref));
  await removeProxy(context, ref, removeContainer);
  const { dir } = foldersOf(context, ref);
  await unmountDisk(dir);
  await rm(dir, { recursive: true, force: true });
  await rmdir(dirname(dir)).catch(() => undefined);
}
