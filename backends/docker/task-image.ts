import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { BenchError, InfrastructureError } from '../../domain/errors.js';
import { type LayerRequirements, readRequirements } from '../../domain/task/requirements.js';
import { type BaseImage, localImage } from './base-image.js';
import { ensureHarborImage } from './harbor/task-images.js';
import { installLayer, InstallFailed, type LayerFile } from './install-layer.js';
import type { BuiltImage, ImageKind } from './images.js';
import type { TaskImageOptions } from './package-sources.js';

/** Bump when the recipe of layers changes. */
const LAYER_FORMAT = 1;

/**
 * The image with a task's requirements, made from `plain` when first needed. Its tag is a hash of
 * both, so equal requirements share it. Throws BenchError (usage) when packages cannot be installed
 * as written, InfrastructureError when the engine or the package index fails.
 */
export async function ensureTaskImage(
  docker: Docker,
  kind: ImageKind,
  plain: BuiltImage,
  layer: LayerRequirements | null,
  options: TaskImageOptions,
): Promise<BuiltImage> {
  if (layer === null) return plain;
  if (layer.harbor !== undefined) return await ensureHarborImage(docker, kind, layer, layer.harbor, options);
  const files = await layerFiles(layer);
  const hash = layerHash(plain.digest, layer, files);
  const ref = `bench-task:${hash}`;
  return await shared(docker, ref, async () => {
    const existing =
      (await localImage(docker, ref)) ?? (await make(docker, { kind, plain, layer, files, hash, ref }, options));
    return { ref, digest: existing.id };
  });
}

const pending = new WeakMap<Docker, Map<string, Promise<BuiltImage>>>();

async function shared(docker: Docker, ref: string, work: () => Promise<BuiltImage>): Promise<BuiltImage> {
  const ofEngine = pending.get(docker) ?? new Map<string, Promise<BuiltImage>>();
  pending.set(docker, ofEngine);
  const running = ofEngine.get(ref) ?? work().finally(() => ofEngine.delete(ref));
  ofEngine.set(ref, running);
  return await running;
}

async function layerFiles({ taskDir, file, taskId, lines }: LayerRequirements): Promise<LayerFile[]> {
  if (file === null) return [];
  if (lines !== undefined) return [{ path: file, bytes: Buffer.from(`${lines.join('\n')}\n`) }];
  try {
    const bytes = await readFile(join(taskDir, file));
    const { requirements, problems } = readRequirements(bytes.toString('utf8'));
    const [problem] = problems;
    if (problem !== undefined)
      throw new BenchError('usage', `task ${taskId}: ${file}:${problem.line}: ${problem.message}`);
    const archives = new Set(requirements.flatMap((item) => (item.kind === 'archive' ? [item.path] : [])));
    const read = [...archives].sort().map(async (path) => ({ path, bytes: await readFile(join(taskDir, path)) }));
    return [{ path: file, bytes }, ...(await Promise.all(read))];
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError('usage', `task ${taskId}: ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function layerHash(base: string, { file, apt, noDeps }: LayerRequirements, files: LayerFile[]): string {
  const recipe = [LAYER_FORMAT, base, [...apt].sort(), file !== null, ...(noDeps === true ? ['no-deps'] : [])];
  const hash = createHash('sha256').update(JSON.stringify(recipe));
  // The requirements file comes first, whatever its name.
  for (const [index, { path, bytes }] of files.entries())
    hash.update(`\0${index === 0 ? '' : path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex').slice(0, 16);
}

interface Making {
  kind: ImageKind;
  plain: BuiltImage;
  layer: LayerRequirements;
  files: LayerFile[];
  hash: string;
  ref: string;
}

/** Why packages cannot be installed, and what to do. */
function refused({ kind, layer }: Making, what: string, cause: InstallFailed): BenchError | InfrastructureError {
  const ofProgram = layer.lines !== undefined;
  const whose = ofProgram ? "the program's Python packages" : `task ${layer.taskId}: ${what}`;
  const message = `${whose} cannot be installed for the ${kind}:\n${cause.lastLines}`;
  if (cause.unreachable) return new InfrastructureError(message, { cause });
  if (cause.otherPython !== null)
    return new BenchError('usage', message, {
      remedy: `They need Python ${cause.otherPython}: build the images on a base that has it.`,
      cause,
    });
  if (ofProgram) return new BenchError('usage', message, { remedy: "Correct install in the agent's file.", cause });
  return new BenchError('usage', message, {
    remedy: "Correct the versions, then rebuild the task's layers with `bench images build`.",
    fields: { tasks: layer.taskId },
    cause,
  });
}

async function make(docker: Docker, making: Making, options: TaskImageOptions): Promise<BaseImage> {
  const { sources, onProgress, signal } = options;
  const { kind, layer, ref } = making;
  const what = [layer.file, ...(layer.apt.length === 0 ? [] : ['requirements.apt'])]
    .filter((part) => part !== null)
    .join(' and ');
  onProgress?.(`making ${ref}, the ${kind} image of task ${layer.taskId} with its ${what}`);
  try {
    const order = { ...making, sources, onProgress: onProgress ?? (() => undefined), signal };
    try {
      await installLayer(docker, order);
    } catch (error) {
      if (!(error instanceof InstallFailed && error.withoutPip)) throw error;
      // Debian packages go into their own layer, shared by all tasks.
      const pip = { ...layer, file: null, apt: ['python3-pip'] };
      await installLayer(docker, { ...order, plain: await ensureTaskImage(docker, kind, making.plain, pip, options) });
    }
    const made = await localImage(docker, ref);
    if (made === null) throw new Error(`the engine made ${ref} but does not list it`);
    return made;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof BenchError || cause instanceof InfrastructureError) throw cause;
    if (!(cause instanceof InstallFailed))
      throw new InfrastructureError(`making the ${kind} image of task ${layer.taskId}: ${(cause as Error).message}`, {
        cause,
      });
    throw refused(making, what, cause);
  }
}
