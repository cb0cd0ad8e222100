import type { ImageKind } from '../../backends/docker/images.js';
import type { Backend } from '../../domain/run/run.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { layerOf } from '../../domain/task/requirements.js';
import { type EnginePorts, ensureImages, requireEngine } from './choose-backend.js';

export interface TaskImage {
  task: string;
  kind: ImageKind;
  ref: string;
  digest: string;
}

/** Builds the image layers of tasks that require packages here, where progress can be shown. */
export async function ensureTaskImages(
  ports: EnginePorts,
  tasks: readonly TaskFolder[],
  backend: Backend,
  signal: AbortSignal,
): Promise<TaskImage[]> {
  const wanted = tasks.flatMap(({ spec, dir }) =>
    (['agent', 'evaluator'] as const).flatMap((kind) => {
      const layer = layerOf(spec, kind, dir);
      return layer === null ? [] : [{ kind, layer }];
    }),
  );
  if (wanted.length === 0 || backend === 'local') return [];
  const { ensureTaskImage } = await import('../../backends/docker/task-image.js');
  const { packageSources } = await import('../../backends/docker/package-sources.js');
  const { settings } = ports;
  const docker = await requireEngine(backend, settings);
  const plain = await ensureImages(ports, backend, docker, { signal });
  const options = {
    sources: packageSources(settings.env),
    signal,
    assetsRoot: settings.assetsRoot,
    onProgress: (line: string): void => ports.notify({ code: 'progress', line }),
  };
  const made: TaskImage[] = [];
  for (const { kind, layer } of wanted) {
    const image = plain.find((each) => each.kind === kind);
    if (image === undefined) continue;
    made.push({ task: layer.taskId, kind, ...(await ensureTaskImage(docker, kind, image, layer, options)) });
  }
  return made;
}
