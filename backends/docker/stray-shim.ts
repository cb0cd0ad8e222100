import { readFile, readdir } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * An engine that is killed while it starts a container leaves the shim of that start behind: the container's task exists for
 * containerd, not for the engine, which then can neither start the container nor end what runs in it. Without the shim containerd
 * clears the task away. False: there is none on this machine, or none that we may end (that takes root).
 */
export async function endStrayShim(containerId: string): Promise<boolean> {
  let ended = false;
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (!basename(words[0] ?? '').startsWith('containerd-shim') || !words.includes(containerId)) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
      ended = true;
    } catch {
      // Gone by itself, or not ours to end.
    }
  }
  return ended;
}
