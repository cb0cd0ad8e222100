import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HomeLayout } from '../../domain/home/layout.js';
import { readStack } from './disk-stack.js';
import { KEPT_ASIDE, keptDisk } from './kept-disks.js';
import { IMAGE } from './workspace-disk.js';

export interface KeptDisk {
  path: string;
  bytes: number;
}

/** Made before `before`, in no snapshot of `needed`, and under no sandbox. */
export async function unneededDisks(
  layout: HomeLayout,
  needed: ReadonlySet<string>,
  before: Date,
): Promise<KeptDisk[]> {
  const names = await readdir(layout.disks).catch(() => []);
  const cutOff = (await readdir(join(layout.disks, KEPT_ASIDE)).catch(() => [])).map((name) => join(KEPT_ASIDE, name));
  const kept = new Set(await stoodOn(layout));
  for (const name of needed) {
    kept.add(name);
    for (const below of (await keptDisk(layout.disks, name))?.below ?? []) kept.add(below);
  }
  const found: KeptDisk[] = [];
  for (const name of [...names.filter((one) => one !== KEPT_ASIDE && !kept.has(one)), ...cutOff]) {
    const path = join(layout.disks, name);
    const made = await stat(path).catch(() => null);
    if (made === null || made.mtime >= before) continue;
    const image = await stat(join(path, IMAGE)).catch(() => null);
    found.push({ path, bytes: (image?.blocks ?? 0) * 512 });
  }
  return found;
}

/** Returns those removed. A disk recreated meanwhile stays. */
export async function removeDisks(disks: readonly KeptDisk[], before: Date): Promise<KeptDisk[]> {
  const gone: KeptDisk[] = [];
  for (const disk of disks) {
    const made = await stat(disk.path).catch(() => null);
    if (made === null || made.mtime >= before) continue;
    await rm(disk.path, { recursive: true, force: true });
    gone.push(disk);
  }
  return gone;
}

/** Also below unmounted sandboxes: after a reboot their disks are mounted again. */
async function stoodOn(layout: HomeLayout): Promise<string[]> {
  const found: string[] = [];
  for (const runId of await readdir(layout.runs).catch(() => []))
    for (const epoch of await readdir(join(layout.runs, runId)).catch(() => []))
      found.push(...((await readStack(join(layout.runs, runId, epoch)))?.below ?? []).map(({ name }) => name));
  return found;
}
