import { attributed } from '../../../domain/run/end-cause.js';
import { InfrastructureError } from '../../../domain/errors.js';
import { CONTAINER_WORKSPACE } from '../../../domain/run/limits.js';
import type { SandboxInfo, SandboxSpec } from '../../../domain/ports/sandbox-port.js';
import { type LayerRequirements, programLayers } from '../../../domain/task/requirements.js';
import { removeContainer } from '../container-life.js';
import { statusOf } from '../engine-errors.js';
import type { BuiltImage } from '../images.js';
import { hasDisk } from '../workspace-disk.js';
import { foldersOf, type SandboxContext } from './context.js';
import { create, type SandboxImages } from './create.js';
import { startAndWait } from './supervisor.js';

const CREATE_ATTEMPTS = 3;
const CAPS_REFUSED = /unable to apply caps/;

/** Finds or builds the images, creates or adopts the container, and waits until it answers. */
export async function start(context: SandboxContext, spec: SandboxSpec): Promise<SandboxInfo> {
  const images = await attributed('image', () => imagesFor(context, spec));
  const created = await createStarted(context, spec, images);
  return {
    isolation: 'container',
    imageDigest: images.image.digest,
    workspace: CONTAINER_WORKSPACE,
    created,
    workspaceLimit: workspaceLimitOf(context, spec),
    unenforcedLimits: await context.unenforced(),
  };
}

async function imagesFor(context: SandboxContext, spec: SandboxSpec): Promise<SandboxImages> {
  const plain = await context.image();
  let image = await withLayer(context, plain, spec.layer ?? null);
  const layers = spec.program === undefined ? [] : programLayers(spec.program);
  for (const layer of layers) image = await withLayer(context, image, layer);
  return { plain, image };
}

/** Faults in the task's packages are not the engine's. */
async function withLayer(
  { taskImage }: SandboxContext,
  plain: BuiltImage,
  layer: LayerRequirements | null,
): Promise<BuiltImage> {
  if (layer === null) return plain;
  if (taskImage === undefined)
    throw new InfrastructureError(`no image with the packages of task ${layer.taskId} can be built here`);
  return await taskImage(plain, layer);
}

/** Returns whether the files are new. Creates again what another start removed as never run. */
export async function createStarted(
  context: SandboxContext,
  spec: SandboxSpec,
  images: SandboxImages,
): Promise<boolean> {
  let created = false;
  for (let attempt = 1; ; attempt++) {
    const made = await create(context, spec, images);
    created ||= made.created;
    try {
      await startAndWait(context, spec, made.container);
      return created;
    } catch (error) {
      const refused = CAPS_REFUSED.test((error as Error).message);
      if (attempt === CREATE_ATTEMPTS || (!refused && statusOf(error) !== 404)) throw error;
      if (!refused) continue;
      if (context.ranksProcesses)
        context.onWarning?.(
          'the engine cannot grant CAP_SYS_RESOURCE: where the kernel has no Landlock either, an agent that runs out of memory may lose the running command',
        );
      context.ranksProcesses = false;
      await removeContainer(made.container);
    }
  }
}

function workspaceLimitOf(context: SandboxContext, spec: SandboxSpec): SandboxInfo['workspaceLimit'] {
  if (hasDisk(foldersOf(context, spec).dir)) return 'file_system';
  return spec.limits.workspaceMb === undefined ? null : 'watched';
}
