import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function unmountBelow(dir: string): void {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  for (const path of mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${dir}/`)))
    spawnSync('umount', ['--lazy', path]);
}
