import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteOfFolder, noteScratchFolder, removeScratchFolder } from '../../../../backends/local/scratch-folder.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'bench-test-scratch-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

describe('a folder of an evaluation', () => {
  it('is known as its maker’s however often it is looked at while it is made, removed and made again', async () => {
    const dir = join(parent, 'bench-eval-1');
    const work = { over: false };
    const evaluations = async () => {
      for (let round = 0; round < 30; round++) {
        await rm(dir, { recursive: true, force: true });
        await noteScratchFolder(dir, parent, 1000);
        await mkdir(dir);
        await removeScratchFolder(dir);
      }
      work.over = true;
    };
    const seen: unknown[] = [];
    const looks = async () => {
      while (!work.over) {
        seen.push(await noteOfFolder(dir));
      }
    };
    await Promise.all([evaluations(), looks(), looks()]);
    expect(seen.filter((note) => note === null)).toEqual([]);
    expect(await noteOfFolder(dir)).toBe('gone');
    expect(await readdir(parent)).toEqual([]);
  });

  it('of which nothing is noted is nobody’s', async () => {
    const dir = join(parent, 'bench-eval-2');
    await mkdir(dir);
    expect(await noteOfFolder(dir)).toBeNull();
  });
});
