import { underProfile } from '../../catalog/index.js';
import { ensureImages, requireEngine } from '../batches/choose-backend.js';
import { ensureTaskImages } from '../batches/ensure-task-images.js';
import { type BuildImagesRequest, buildImagesRequestSchema } from '../../domain/requests/tasks.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import type { ImagesDocument } from '../../domain/views/home.js';
import type { Bench } from '../bench.js';
import { namedTasks } from '../tasks/named-tasks.js';

/** Builds the images of agents and evaluators that the engine lacks, and the layers of tasks. */
export async function buildImages(bench: Bench, input: BuildImagesRequest = {}): Promise<ImagesDocument> {
  const request = checkedRequest(buildImagesRequestSchema, input);
  const { settings } = bench;
  const { backend, base } = request;
  const docker = await requireEngine(backend, settings);
  const images = await bench.abortable('image-build', (signal) =>
    ensureImages(bench, backend, docker, { base, signal }),
  );
  if (base !== undefined) {
    const { chooseBase } = await import('../../backends/docker/base-image.js');
    await chooseBase(docker, base);
  }
  const named = request.tasks === undefined ? [] : namedTasks(bench, { ids: request.tasks });
  const tasks = underProfile(named, { profile: request.profile ?? null, sample: false });
  const layers = await bench.abortable('image-build', (signal) => ensureTaskImages(bench, tasks, backend, signal));
  return { images, layers };
}
