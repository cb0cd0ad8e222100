import type Docker from 'dockerode';
import { statusOf } from './engine-errors.js';
import { currentImageRefs } from './images.js';

export interface OldImage {
  id: string;
  /** Its tags. */
  refs: string[];
  bytes: number;
}

/**
 * Images of agents, evaluators and tasks, made before a given time, that are neither current nor based on a current one, and that
 * no container or run uses. All can be built again.
 */
export async function findOldImages(
  docker: Docker,
  { assetsRoot, needed, before }: { assetsRoot: string; needed: ReadonlySet<string>; before: Date },
): Promise<OldImage[]> {
  const images = await docker.listImages({ filters: { label: ['bench.image'] } });
  const containers = await docker.listContainers({ all: true });
  const used = new Set(containers.map(({ ImageID }) => ImageID));
  const current = new Set(await currentImageRefs(docker, assetsRoot));
  const details = await Promise.all(images.map(async (image) => ({ image, layers: await layersOf(docker, image.Id) })));
  const kept = details.filter(
    ({ image }) => used.has(image.Id) || needed.has(image.Id) || image.RepoTags?.some((ref) => current.has(plain(ref))),
  );
  const madeOn = (layers: string[]) =>
    kept.some((one) => one.layers.length > 0 && one.layers.every((layer, i) => layers[i] === layer));
  return details
    .filter(({ image, layers }) => !kept.some((one) => one.image.Id === image.Id) && !madeOn(layers))
    .filter(({ image }) => image.Created * 1000 < before.getTime())
    .map(({ image }) => ({ id: image.Id, refs: (image.RepoTags ?? []).map(plain), bytes: image.Size }));
}

/** False: it is in use, or gone already. */
export async function removeOldImage(docker: Docker, { id, refs }: OldImage): Promise<boolean> {
  try {
    for (const ref of refs.length === 0 ? [id] : refs) await docker.getImage(ref).remove();
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return false;
    throw error;
  }
}

/** Podman prefixes its own registry. */
const plain = (ref: string): string => ref.replace(/^localhost\//, '');

async function layersOf(docker: Docker, id: string): Promise<string[]> {
  try {
    return (await docker.getImage(id).inspect()).RootFS.Layers ?? [];
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
