import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { chooseBase, KNOWN_BASES, localImage } from '../../backends/docker/base-image.js';
import { ensureImage } from '../../backends/docker/images.js';
import { markUsed, useOf } from '../../backends/docker/image-use.js';
import { findOldImages, removeOldImage } from '../../backends/docker/old-images.js';
import { REPOSITORY } from './evaluation-job.js';

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
  // What was built on another one goes first.
  for (const ref of [...built].reverse()) await docker.getImage(ref).remove({ force: true });
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
  // Under a mark of our own: whoever builds at this moment would be given the usual one.
  const chosen = `bench-base:test-${process.pid}`;
  const other = await ensure();
  await chooseBase(docker, other.ref, chosen);
  built.add(chosen);
  const lines: string[] = [];
  const image = await ensureImage(docker, 'agent', { assetsRoot, chosen, onProgress: (line) => lines.push(line) });
  built.add(image.ref);
  expect(lines[0]).toBe(`building ${image.ref} on ${chosen}`);
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
    message: expect.stringContaining('base image bench-test-no-such-image:1 does not exist locally') as string,
    fields: { base: true },
  });
});

it('old ones are found: not the current ones, nor what is made on these, used by a container or needed', async () => {
  const bases = await Promise.all(KNOWN_BASES.map((ref) => localImage(docker, ref)));
  base = bases.find((each) => each !== null)?.ref ?? '';
  const old = await ensure();
  await writeFile(join(assetsRoot, 'images', 'agent', 'data'), 'needed');
  const needed = await ensure();
  await writeFile(join(assetsRoot, 'images', 'agent', 'data'), 'used');
  const used = await ensure();
  const current = await ensureImage(docker, 'agent', { assetsRoot: REPOSITORY });
  // A task's layer is made on an image: it goes and stays with it.
  const layerOn = async ({ ref }: { ref: string }): Promise<string> => {
    const container = await docker.createContainer({ Image: ref, Cmd: ['true'] });
    const layer = `bench-task:test-${process.pid}-${built.size}`;
    built.add(layer);
    await container.commit({ repo: 'bench-task', tag: layer.slice(11), changes: 'LABEL bench.image=task-agent' });
    await container.remove();
    return layer;
  };
  const layers = { old: await layerOn(old), current: await layerOn(current) };
  const container = await docker.createContainer({ Image: used.ref, Cmd: ['true'] });
  try {
    const find = async (before: Date, home = 'own') => {
      const found = await findOldImages(docker, {
        assetsRoot: REPOSITORY,
        needed: new Set([needed.digest]),
        before,
        home,
      });
      const refs = found.flatMap((image) => image.refs);
      return [old, needed, used, current]
        .map(({ ref }) => refs.includes(ref))
        .concat([layers.old, layers.current].map((ref) => refs.includes(ref)));
    };
    const soon = new Date(Date.now() + 60_000);
    expect(await find(soon)).toEqual([true, false, false, false, true, false]);
    expect(await find(new Date(0))).toEqual(Array(6).fill(false));
    const image = { id: old.digest, refs: [layers.old], bytes: 0 };
    expect(await removeOldImage(docker, image)).toBe(true);
    expect(await removeOldImage(docker, image)).toBe(false);
    expect(await removeOldImage(docker, { ...image, refs: [used.ref] })).toBe(false);
    expect(await localImage(docker, used.ref)).not.toBeNull();
    built.delete(layers.old);
  } finally {
    await container.remove();
  }
});

it('old ones that another home has used lately are spared; a use counts for its day, and the latest alone', async () => {
  // Not on a current image, with which it would stay.
  base =
    (await Promise.all(KNOWN_BASES.map((ref) => localImage(docker, ref)))).find((each) => each !== null)?.ref ?? '';
  const image = await ensure();
  const day = 24 * 3_600_000;
  const mine = async (home: string, before: number) =>
    (await findOldImages(docker, { assetsRoot: REPOSITORY, needed: new Set(), before: new Date(before), home })).find(
      ({ id }) => id === image.digest,
    );
  const soon = Date.now() + 60_000;
  const marks = async () =>
    ((await docker.getImage(image.ref).inspect()).RepoTags ?? []).filter((ref) => useOf(ref) !== null);
  try {
    await markUsed(docker, image.ref, 'other', new Date(soon - 40 * day));
    expect((await mine('own', soon))?.refs).toHaveLength(2);
    await markUsed(docker, image.ref, 'other', new Date(soon));
    expect(await marks()).toHaveLength(1);
    expect(await mine('own', soon)).toBeUndefined();
    const found = await mine('other', soon);
    expect(found?.refs[0]).toBe(image.ref);
    // With its marks it is gone.
    if (found !== undefined) expect(await removeOldImage(docker, found)).toBe(true);
    expect(await localImage(docker, image.digest)).toBeNull();
    built.delete(image.ref);
  } finally {
    for (const ref of await marks().catch(() => [])) await docker.getImage(ref).remove();
  }
});
