import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { unmountBelow } from '../../benchmarks/unmount-below.js';

/** A small disk in a folder, to fill up. Needs root. */
export interface SmallDisk {
  /** Leaves no byte, even for root. */
  fill(): void;
  free(): void;
  unmount(): void;
}

export function mountSmallDisk(dir: string, size: string): SmallDisk {
  const image = `${dir}.img`;
  execFileSync('truncate', ['-s', size, image]);
  // Reserves nothing for root, who writes most of it.
  execFileSync('mkfs.ext4', ['-q', '-m', '0', '-F', image]);
  execFileSync('mount', ['-o', 'loop', image, dir]);
  // Gone with the last mount.
  rmSync(image);
  rmSync(join(dir, 'lost+found'), { recursive: true });
  const ballast = join(dir, 'ballast');
  return {
    fill() {
      const { bavail, bsize } = statfsSync(dir);
      const all = `fallocate -l ${bavail * bsize} "$1"; cat /dev/zero >> "$1"; true`;
      execFileSync('sh', ['-c', all, '-', ballast], { stdio: 'ignore' });
    },
    free: () => rmSync(ballast, { force: true }),
    unmount() {
      rmSync(ballast, { force: true });
      unmountBelow(dir);
      execFileSync('umount', ['--lazy', dir]);
    },
  };
}
