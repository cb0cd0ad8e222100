import { readFile } from 'node:fs/promises';
import { freemem } from 'node:os';

/** In MB, including reclaimable caches. */
export async function freeMemoryMb(): Promise<number> {
  try {
    const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1];
    if (kilobytes !== undefined) return Math.floor(Number(kilobytes) / 1024);
  } catch {
    // Not Linux.
  }
  return Math.floor(freemem() / 2 ** 20);
}
