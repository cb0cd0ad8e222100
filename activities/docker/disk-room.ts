import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { NoRoom } from '../../domain/errors.js';

const MB = 2 ** 20;
/** What is counted of an allowance: most runs write far less than they may, and all allowances together would leave most disks to three runs. */
const SHARE_MB = 256;
/** Left to the services of the home. */
const RESERVE_MB = 64;

/**
 * Is there room for what one more run may write, beside what was promised to the disks that are there and is not taken yet? Throws
 * NoRoom. `runs`: the folder of all runs; `image`: a disk's name in that of an epoch.
 */
export async function requireRoom(runs: string, image: string, megabytes: number): Promise<void> {
  const disks = await disksBelow(runs, image);
  const { bavail, bsize } = await statfs(runs);
  const free = Math.floor((bavail * bsize) / MB);
  const promised = disks.reduce((sum, { size, taken }) => sum + Math.max(0, Math.min(size, SHARE_MB) - taken), 0);
  const wanted = Math.min(megabytes, SHARE_MB);
  if (free >= wanted + promised + RESERVE_MB) return;
  throw new NoRoom(
    `the home's disk has no room for another workspace: ${free} MB are free, ${Math.ceil(promised)} MB of that are promised to ` +
      `${disks.length} runs, and ${wanted} MB are wanted`,
  );
}

/** In megabytes: how large each may become, and what it takes by now. */
async function disksBelow(runs: string, image: string): Promise<{ size: number; taken: number }[]> {
  const found: { size: number; taken: number }[] = [];
  for (const run of await namesIn(runs))
    for (const epoch of await namesIn(join(runs, run))) {
      const one = await stat(join(runs, run, epoch, image)).catch(() => null);
      if (one !== null) found.push({ size: one.size / MB, taken: (one.blocks * 512) / MB });
    }
  return found;
}

const namesIn = async (dir: string): Promise<string[]> => await readdir(dir).catch(() => []);
