import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { controlDirectoryExists } from '../../shell/control-directory.js';
import { endProcesses, removeTree } from '../end-run.js';
import { markStopping, readPlace } from '../run-world.js';
import { foldersOf, type SandboxContext } from './context.js';

export async function stop(context: SandboxContext, ref: SandboxRef): Promise<void> {
  const { dir, control } = foldersOf(context, ref);
  if (await controlDirectoryExists(control)) {
    await markStopping(control);
    await endProcesses(control);
    const place = await readPlace(control);
    if (place !== null && place.base !== dir) await removeTree(place.base);
  }
  await removeTree(dir);
  await rmdir(dirname(dir)).catch(() => undefined);
}
