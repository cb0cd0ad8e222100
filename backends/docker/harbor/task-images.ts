import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { folderFiles } from '../../shell/folder-files.js';
import { BenchError, InfrastructureError } from '../../../domain/errors.js';
import { CONTAINER_WORKSPACE } from '../../../domain/run/limits.js';
import type { LayerRequirements } from '../../../domain/task/requirements.js';
import { localImage } from '../base-image.js';
import { followEngine } from '../follow-engine.js';
import { type BuiltImage, ensureImage, type ImageKind } from '../images.js';
import { installLayer, InstallFailed, type LayerFile, UNREACHABLE } from '../install-layer.js';
import { tarBytes } from '../tar-bytes.js';
import type { TaskImageOptions } from '../package-sources.js';
import { OFFLINE_FOLDER, provisionScript } from './provision-script.js';
import { quotedWord } from '../../../domain/text/shell-word.js';

type Harbor = NonNullable<LayerRequirements['harbor']>;

/** Bump when the recipe of these images changes. */
const FORMAT = 1;

/**
 * Images of a task with its own environment. The agent's is bench's on top, with the task's working
 * folder as workspace; the verifier's adds what its tests install, on the untouched environment.
 */
export async function ensureHarborImage(
  docker: Docker,
  kind: ImageKind,
  layer: LayerRequirements,
  harbor: Harbor,
  options: TaskImageOptions,
): Promise<BuiltImage> {
  const environment = await ensureEnvironment(docker, layer, options);
  if (kind === 'evaluator') return await verifierImage(docker, environment, layer, harbor, options);
  // Live tests run in the agent's image, so it needs what they install.
  const live = harbor.verification === 'live';
  const below = live ? await verifierImage(docker, environment, layer, harbor, options) : environment;
  return await agentImage(docker, below, layer, harbor, options);
}

async function ensureEnvironment(
  docker: Docker,
  layer: LayerRequirements,
  options: TaskImageOptions,
): Promise<BuiltImage> {
  const { onProgress = () => undefined, signal, sources } = options;
  const files = await filesOf(join(layer.taskDir, 'environment'));
  const ref = `bench-environment:${hashOf(['environment'], files)}`;
  return await shared(docker, ref, async () => {
    const there = await localImage(docker, ref);
    if (there !== null) return { ref, digest: there.id };
    onProgress(`building ${ref}, the environment of task ${layer.taskId}`);
    const said: string[] = [];
    try {
      const context = await tarBytes(
        files.map(({ path, bytes, executable }) => ({ name: path, mode: executable === true ? 0o755 : 0o644, bytes })),
      );
      const proxies = Object.entries(sources.environment).filter(([name]) => /_proxy$/i.test(name));
      const answer = await docker.buildImage(Readable.from([context]), {
        ...{ t: ref, rm: true, forcerm: true, labels: { 'bench.image': 'environment' } },
        // The engine keeps these out of the image's history.
        buildargs: Object.fromEntries(proxies),
        ...(signal !== undefined && { abortSignal: signal }),
      });
      const line = (text: string): void => {
        said.push(text);
        if (said.length > 40) said.shift();
        onProgress(text);
      };
      await followEngine(docker, answer, line, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      const message = `task ${layer.taskId}: environment/Dockerfile cannot be built: ${(cause as Error).message}\n${said.slice(-12).join('\n')}`;
      if (said.some((text) => UNREACHABLE.test(text))) throw new InfrastructureError(message, { cause });
      throw new BenchError('usage', message, {
        code: 'image.build_failed',
        remedy:
          'If an image that it begins with cannot be pulled, import the task again with another in its place (`base`).',
        cause,
      });
    }
    const built = await localImage(docker, ref);
    if (built === null) throw new InfrastructureError(`the engine built ${ref} but does not list it`);
    return { ref, digest: built.id };
  });
}

async function agentImage(
  docker: Docker,
  environment: BuiltImage,
  layer: LayerRequirements,
  { workdir }: Harbor,
  options: TaskImageOptions,
): Promise<BuiltImage> {
  const { assetsRoot, onProgress, signal } = options;
  if (assetsRoot === undefined) throw new Error('the agent of a task with an environment needs images/agent');
  const plain = await ensureImage(docker, 'agent', { assetsRoot, base: environment.ref, onProgress, signal });
  const folder = quotedWord(workdir);
  // The supervisor copies /opt/bench/workdir to the workspace (starter.py).
  const script = [
    `mkdir -p ${folder} /opt/bench/workdir\n`,
    `cp -a ${folder}/. /opt/bench/workdir/\n`,
    `rm -rf ${folder} /solution\n`,
    `ln -s ${CONTAINER_WORKSPACE} ${folder}\n`,
    'ln -s /home/agent/.solution /solution\n',
    'rm -rf /tests /logs/verifier\n',
  ].join('');
  return await installed(docker, { kind: 'agent', plain, layer, files: [], script }, options);
}

async function verifierImage(
  docker: Docker,
  environment: BuiltImage,
  layer: LayerRequirements,
  harbor: Harbor,
  options: TaskImageOptions,
): Promise<BuiltImage> {
  if (options.assetsRoot === undefined) throw new Error('the verifier of a task needs images/verifier');
  const shims = await filesOf(join(options.assetsRoot, 'images', 'verifier'));
  const tests = await filesOf(join(layer.taskDir, 'evaluator', 'tests'));
  const files = [
    ...shims.map((file) => ({ ...file, path: `shims/${file.path}`, executable: true })),
    ...tests.map((file) => ({ ...file, path: `tests/${file.path}` })),
  ];
  const script = provisionScript(harbor);
  return await installed(docker, { kind: 'evaluator', plain: environment, layer, files, script }, options);
}

interface Order {
  kind: ImageKind;
  plain: BuiltImage;
  layer: LayerRequirements;
  files: LayerFile[];
  script: string;
}

async function installed(docker: Docker, order: Order, options: TaskImageOptions): Promise<BuiltImage> {
  const { kind, plain, layer, files, script } = order;
  const { sources, onProgress = () => undefined, signal } = options;
  const hash = hashOf([kind, plain.digest, script], files);
  const ref = `bench-task:${hash}`;
  return await shared(docker, ref, async () => {
    const there = await localImage(docker, ref);
    if (there !== null) return { ref, digest: there.id };
    const what = kind === 'agent' ? "the agent's image" : 'the verifier';
    onProgress(`making ${ref}, ${what} of task ${layer.taskId}`);
    try {
      await installLayer(docker, { kind, plain, layer, files, script, hash, ref, sources, onProgress, signal });
    } catch (cause) {
      signal?.throwIfAborted();
      if (!(cause instanceof InstallFailed))
        throw new InfrastructureError(`making ${what} of task ${layer.taskId}: ${(cause as Error).message}`, { cause });
      const message = `task ${layer.taskId}: ${what} cannot be made, its ${kind === 'agent' ? 'working folder cannot be moved' : 'tests/test.sh does not start'}:\n${cause.lastLines}`;
      throw cause.unreachable
        ? new InfrastructureError(message, { cause })
        : new BenchError('usage', message, {
            code: 'image.build_failed',
            remedy: `See what ${OFFLINE_FOLDER} and the network of this machine lack, then build the images again.`,
            cause,
          });
    }
    const made = await localImage(docker, ref);
    if (made === null) throw new InfrastructureError(`the engine made ${ref} but does not list it`);
    return { ref, digest: made.id };
  });
}

const filesOf = async (dir: string): Promise<LayerFile[]> =>
  await Promise.all(
    (await folderFiles(dir)).map(async ({ path, executable }) => ({
      ...{ path, executable },
      bytes: await readFile(join(dir, path)),
    })),
  );

function hashOf(beginning: readonly string[], files: readonly LayerFile[]): string {
  const hash = createHash('sha256').update(JSON.stringify([FORMAT, ...beginning]));
  for (const { path, bytes, executable } of files)
    hash.update(`\0${path}\0${executable === true ? 'x' : '-'}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex').slice(0, 16);
}

const pending = new WeakMap<Docker, Map<string, Promise<BuiltImage>>>();

async function shared(docker: Docker, ref: string, work: () => Promise<BuiltImage>): Promise<BuiltImage> {
  const ofEngine = pending.get(docker) ?? new Map<string, Promise<BuiltImage>>();
  pending.set(docker, ofEngine);
  const running = ofEngine.get(ref) ?? work().finally(() => ofEngine.delete(ref));
  ofEngine.set(ref, running);
  return await running;
}
