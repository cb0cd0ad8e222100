import { BenchError } from '../../domain/errors.js';
import type { ImageLog } from '../../domain/ports/record/images.js';
import { type FindRunPorts, runIdOf } from './resolve.js';

export type RunImagePorts = FindRunPorts & { store: ImageLog };

/** An image that a run's agent looked at. BenchError (not_found): it did not. */
export async function runImage(ports: RunImagePorts, ref: string, id: string): Promise<Buffer> {
  const runId = await runIdOf(ports, ref);
  const [image] = await ports.store.images(runId, [id]);
  if (image === undefined)
    throw new BenchError('not_found', `run ${runId} has no image ${id.slice(0, 64)}`, {
      code: 'file.not_found',
      remedy: 'Lines of its observations name its images.',
    });
  return Buffer.from(image.bytes);
}
