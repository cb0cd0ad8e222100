import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { CHOSEN_BASE, chooseBase, localImage } from '../../activities/docker/base-image.js';
import { ensureImage } from '../../activities/docker/images.js';
import { REPOSITORY } from '../contracts/evaluation-job.js';

const docker = new Docker();
const built = new Set<string>();
let assetsRoot: string;
let base: string;
const folders: string[] = [];

/** Images of a folder of our own, so that these tests neither use nor remove the real ones. */
beforeEach(async () => {
  base = (await ensureImage(docker, 'evaluator', { assetsRoot: REPOSITORY })).ref;
  assetsRoot = await mkdtemp(join(tmpdir(), 'bench-test-images-'));
  folders.push(assetsRoot);
  await mkdir(join(assetsRoot, 'images', 'agent'), { recursive: true });
  await dockerfile(`ARG BASE\nFROM \${BASE}\nLABEL test=${process.pid}-${folders.length}\nCOPY data /data\n`);
  await writeFile(join(assetsRoot, 'images', 'agent', 'data'), 'one');
});
afterAll(async () => {
  for (const ref of built) await docker.getImage(ref).remove({ force: true });
  for (const dir of folders) await rm(dir, { recursive: true, force: true });
});

const dockerfile = (text: string): Promise<void> => writeFile(join(assetsRoot, 'images', 'agent', 'Dockerfile'), text);

async function ensure(onProgress?: (line: string) => void) {
  const image = await ensureImage(docker, 'agent', { assetsRoot, base, onProgress });
  built.add(image.ref);
  return image;
}

it('an image is built once and found again', async () => {
  const lines: string[] = [];
  const first = await ensure((line) => lines.push(line));
  expect(first.ref).toMatch(/^bench-agent:[0-9a-f]{16}$/);
  expect(first.digest).toMatch(/^sha256:/);
  expect(lines[0]).toBe(`building ${first.ref} on ${base}`);
  const again: string[] = [];
  expect(await ensure((line) => again.push(line))).toEqual(first);
  expect(again).toEqual([]);
});

it('a changed file makes another image', async () => {
  const first = await ensure();
  await writeFile(join(assetsRoot, 'images', 'agent', 'data'), 'two');
  expect((await ensure()).ref).not.toBe(first.ref);
});

it('a chosen base is used from then on, by whoever names none', async () => {
  const before = await localImage(docker, CHOSEN_BASE);
  try {
    const other = await ensure();
    await chooseBase(docker, other.ref);
    const lines: string[] = [];
    const image = await ensureImage(docker, 'agent', { assetsRoot, onProgress: (line) => lines.push(line) });
    built.add(image.ref);
    expect(lines[0]).toBe(`building ${image.ref} on ${CHOSEN_BASE}`);
  } finally {
    if (before === null) await docker.getImage(CHOSEN_BASE).remove();
    else await chooseBase(docker, before.id);
  }
});

it('callers at the same time share one build', async () => {
  const lines: string[] = [];
  const note = (line: string) => lines.push(line);
  const images = await Promise.all([ensure(note), ensure(note), ensure(note)]);
  expect(new Set(images.map((image) => image.digest)).size).toBe(1);
  expect(lines.filter((line) => line.startsWith('building '))).toHaveLength(1);
});

it('a failing step is told with the image and the base', async () => {
  await dockerfile('ARG BASE\nFROM ${BASE}\nRUN echo broken >&2 && exit 3\n');
  await expect(ensure()).rejects.toMatchObject({
    name: 'BenchError',
    message: expect.stringMatching(
      /building the agent image bench-agent:\w+ on .* failed: .*non-zero code: 3/,
    ) as string,
  });
});

it('an unknown base is told, with what to do', async () => {
  const unknown = { assetsRoot, base: 'bench-test-no-such-image:1' };
  await expect(ensureImage(docker, 'agent', unknown)).rejects.toMatchObject({
    message: expect.stringContaining('base image bench-test-no-such-image:1 is not here') as string,
    remedy: expect.stringContaining('--base') as string,
  });
});
