import { underProfile } from '../../catalog/index.js';
import { ensureImages, requireEngine } from '../batches/choose-backend.js';
import { ensureTaskImages } from '../batches/ensure-task-images.js';
import { type BuildImagesRequest, buildImagesRequestSchema } from '../../domain/requests/tasks.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import type { ImagesDocument } from '../../domain/views/home.js';
import { namedTasks, type NamedTasksPorts } from '../tasks/named-tasks.js';

export type BuildImagesPorts = NamedTasksPorts &
  Parameters<typeof ensureTaskImages>[0] & {
    settings: Parameters<typeof requireEngine>[1];
    abortable<T>(what: 'image-build', work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  };

export async function buildImages(ports: BuildImagesPorts, input: BuildImagesRequest = {}): Promise<ImagesDocument> {
  const request = checkedRequest(buildImagesRequestSchema, input);
  const { backend, base } = request;
  const docker = await requireEngine(backend, ports.settings);
  const images = await ports.abortable('image-build', (signal) =>
    ensureImages(ports, backend, docker, { base, signal }),
  );
  if (base !== undefined) {
    const { chooseBase } = await import('../../backends/docker/base-image.js');
    await chooseBase(docker, base);
  }
  const named = request.tasks === undefined ? [] : namedTasks(ports, { ids: request.tasks });
  const tasks = underProfile(named, { profile: request.profile ?? null, sample: false });
  const layers = await ports.abortable('image-build', (signal) =>
    ensureTaskImages(ports, [{ tasks }], backend, signal),
  );
  return { images, layers };
}
