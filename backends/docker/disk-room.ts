import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { NoRoom } from '../../domain/errors.js';
import type { HomeLayout } from '../../domain/home/layout.js';
import type { SandboxRef } from '../../domain/ports/sandbox-port.js';
import { IMAGE } from './workspace-disk.js';

const MB = 2 ** 20;
/** Reserved per disk: most runs write far less, and most disks hold only three allowances. */
const SHARE_MB = 256;
/** Reserved for the home's services. */
const RESERVE_MB = 64;

/** Shares the home's disk among its runs, and finds the run that takes too much. */
export interface DiskRoom {
  /**
   * Is there room for one more run, given what existing disks may still use? A run stopped for its
   * disk usage needs more than it used, or it would be stopped again. Throws NoRoom.
   */
  require(runId: string, megabytes: number): Promise<void>;
  /**
   * With less than `lowMb` free: the run to stop, which has grown most since twice as much was free
   * and exceeds its reserve. Null: there is room, or runs are not the cause. Returns each run once.
   */
  largestWriter(lowMb: number): Promise<LargestWriter | null>;
}

interface LargestWriter extends SandboxRef {
  /** Its disk's size and growth, and the free space, in megabytes. */
  takenMb: number;
  grownMb: number;
  freeMb: number;
}

interface Disk extends SandboxRef {
  /** In megabytes: the limit, and the size now. */
  size: number;
  taken: number;
}

export function createDiskRoom(layout: HomeLayout): DiskRoom {
  const nameOf = ({ runId, epoch }: SandboxRef) => `${runId}-${epoch}`;
  const stopped = new Map<string, { takenMb: number; lowMb: number }>();
  /** Sizes of disks when there last was room; null: not measured yet. */
  let calm: Map<string, number> | null = null;
  const remember = (disks: readonly Disk[]) => {
    calm = new Map(disks.map((one) => [nameOf(one), one.taken]));
  };

  return {
    async require(runId, megabytes) {
      const disks = await disksBelow(layout);
      const free = await freeMb(layout.home);
      const promised = disks.reduce((sum, { size, taken }) => sum + Math.max(0, Math.min(size, SHARE_MB) - taken), 0);
      const before = stopped.get(runId);
      const wanted =
        before === undefined
          ? Math.min(megabytes, SHARE_MB)
          : Math.min(megabytes + before.lowMb, before.takenMb + 2 * before.lowMb);
      if (free < wanted + promised + RESERVE_MB)
        throw new NoRoom(
          `the home's disk has no room for another workspace: ${free} MB are free, ${Math.ceil(promised)} MB of that are promised to ` +
            `${disks.length} runs, and ${wanted} MB are needed`,
        );
      stopped.delete(runId);
    },

    async largestWriter(lowMb) {
      const free = await freeMb(layout.home);
      if (free >= lowMb && free < 2 * lowMb && calm !== null) return null;
      const disks = await disksBelow(layout);
      const before = calm;
      if (free >= 2 * lowMb || before === null) remember(disks);
      if (free >= lowMb || before === null) return null;
      const [largest] = disks
        .filter(({ taken }) => taken > SHARE_MB)
        .map((one) => ({ ...one, grown: Math.round(one.taken - (before.get(nameOf(one)) ?? 0)) }))
        .filter(({ grown }) => grown > 0)
        .sort((a, b) => b.grown - a.grown || b.taken - a.taken);
      if (largest === undefined) return null;
      // Measures the growth of the next run to stop from here.
      remember(disks);
      const { runId, epoch, grown: grownMb } = largest;
      const takenMb = Math.ceil(largest.taken);
      stopped.set(runId, { takenMb, lowMb });
      return { runId, epoch, takenMb, grownMb, freeMb: free };
    },
  };
}

async function freeMb(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return Math.floor((bavail * bsize) / MB);
}

async function disksBelow({ runs, run }: HomeLayout): Promise<Disk[]> {
  const found: Disk[] = [];
  for (const runId of await namesIn(runs))
    for (const name of await namesIn(join(runs, runId))) {
      const epoch = Number(/^epoch-(\d+)$/.exec(name)?.[1] ?? NaN);
      if (Number.isNaN(epoch)) continue;
      const one = await stat(join(run(runId, epoch).dir, IMAGE)).catch(() => null);
      if (one !== null) found.push({ runId, epoch, size: one.size / MB, taken: (one.blocks * 512) / MB });
    }
  return found;
}

const namesIn = async (dir: string): Promise<string[]> => await readdir(dir).catch(() => []);
