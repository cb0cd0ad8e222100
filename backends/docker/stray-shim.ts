import { readFile, readdir } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * An engine killed while starting a container leaves that start's shim behind. Containerd then has
 * a task that blocks the container's start and end; ending the shim makes containerd remove the
 * task. False: there is no shim on this machine, or we lack root.
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
      // Already gone, or not permitted.
    }
  }
  return ended;
}
