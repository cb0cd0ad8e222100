import type { ImageKind } from '../../backends/docker/images.js';
import type { Program } from '../../domain/agent/program.js';
import type { Backend } from '../../domain/run/run.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { layerOf, type LayerRequirements, programLayers } from '../../domain/task/requirements.js';
import type { BenchSettings } from '../settings.js';
import { type EnginePorts, ensureImages, requireEngine } from './choose-backend.js';

export interface TaskImage {
  task: string;
  kind: ImageKind;
  ref: string;
  digest: string;
}

/** Tasks, and the program that plays them. */
export interface Played {
  tasks: readonly TaskFolder[];
  program?: Program | undefined;
}

/** Builds image layers of tasks and programs that need packages here, where progress shows. */
export async function ensureTaskImages(
  ports: EnginePorts,
  groups: readonly Played[],
  backend: Backend,
  signal: AbortSignal,
): Promise<TaskImage[]> {
  const wanted = groups.flatMap(layersOf);
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
  for (const { kind, layers } of wanted) {
    let image = plain.find((each) => each.kind === kind);
    if (image === undefined) continue;
    for (const layer of layers) {
      image = { kind, ...(await ensureTaskImage(docker, kind, image, layer, options)) };
      made.push({ task: layer.taskId, ...image });
    }
  }
  return made;
}

/** Each stack of layers on a plain image, the lowest first. */
function layersOf({ tasks, program }: Played): { kind: ImageKind; layers: LayerRequirements[] }[] {
  const { pip = [], pipNoDeps = [] } = program?.install ?? {};
  const ofProgram = programLayers({ pip, pipNoDeps });
  return tasks
    .flatMap(({ spec, dir }) => [
      { kind: 'agent' as const, layers: [...one(layerOf(spec, 'agent', dir)), ...ofProgram] },
      { kind: 'evaluator' as const, layers: one(layerOf(spec, 'evaluator', dir)) },
    ])
    .filter(({ layers }) => layers.length > 0);
}

const one = (layer: LayerRequirements | null): LayerRequirements[] => (layer === null ? [] : [layer]);

/** Installs npm packages of programs for the worker of this home; other hosts install their own. */
export async function ensureProgramFolders(
  { settings, notify }: { settings: Pick<BenchSettings, 'layout' | 'worker'>; notify: EnginePorts['notify'] },
  programs: readonly Program[],
): Promise<void> {
  if (settings.worker !== 'embedded') return;
  const { isInstalled, programFolder } = await import('../../backends/program-folder.js');
  for (const program of programs) {
    const { npm } = program.install;
    if (npm === undefined || isInstalled(npm, settings.layout.programs)) continue;
    notify({ code: 'progress', line: `installing ${npm.join(' ')} for the agent's program` });
    await programFolder(program, settings.layout.programs);
  }
}
