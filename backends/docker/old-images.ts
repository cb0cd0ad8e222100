import type Docker from 'dockerode';
import { statusOf } from './engine-errors.js';
import { plain, useOf } from './image-use.js';
import { currentImageRefs } from './images.js';

export interface OldImage {
  id: string;
  refs: string[];
  bytes: number;
}

/**
 * Images older than `before` that can be built again: neither current nor below a current one, and
 * used by no container, run or other home since.
 */
export async function findOldImages(
  docker: Docker,
  { assetsRoot, needed, before, home }: { assetsRoot: string; needed: ReadonlySet<string>; before: Date; home: string },
): Promise<OldImage[]> {
  const images = await docker.listImages({ filters: { label: ['bench.image'] } });
  const containers = await docker.listContainers({ all: true });
  const used = new Set(containers.map(({ ImageID }) => ImageID));
  const current = new Set(await currentImageRefs(docker, assetsRoot));
  const usedElsewhere = (refs: readonly string[] = []): boolean =>
    refs.some((ref) => {
      const use = useOf(ref);
      return use !== null && use.home !== home && use.until > before.getTime();
    });
  const details = await Promise.all(images.map(async (image) => ({ image, layers: await layersOf(docker, image.Id) })));
  const kept = details.filter(
    ({ image }) =>
      used.has(image.Id) ||
      needed.has(image.Id) ||
      usedElsewhere(image.RepoTags) ||
      image.RepoTags?.some((ref) => current.has(plain(ref))),
  );
  const madeOn = (layers: string[]) =>
    kept.some((one) => one.layers.length > 0 && one.layers.every((layer, i) => layers[i] === layer));
  return details
    .filter(({ image, layers }) => !kept.some((one) => one.image.Id === image.Id) && !madeOn(layers))
    .filter(({ image }) => image.Created * 1000 < before.getTime())
    .map(({ image }) => ({ id: image.Id, refs: namesFirst(image.RepoTags ?? []), bytes: image.Size }));
}

/** False: it is in use, or already removed. */
export async function removeOldImage(docker: Docker, { id, refs }: OldImage): Promise<boolean> {
  try {
    for (const ref of refs.length === 0 ? [id] : refs) await docker.getImage(ref).remove();
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return false;
    throw error;
  }
}

const namesFirst = (refs: readonly string[]): string[] =>
  refs.map(plain).toSorted((a, b) => Number(useOf(a) !== null) - Number(useOf(b) !== null));

async function layersOf(docker: Docker, id: string): Promise<string[]> {
  try {
    return (await docker.getImage(id).inspect()).RootFS.Layers ?? [];
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
