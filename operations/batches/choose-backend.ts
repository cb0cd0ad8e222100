import type { EngineBackend } from '../../backends/docker/engine-address.js';
import type { connectEngine } from '../../backends/docker/engine.js';
import type { BuiltImage, ImageKind } from '../../backends/docker/images.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model/model.js';
import type { Backend } from '../../domain/run/run.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';

type Docker = ReturnType<typeof connectEngine>;

export interface EnginePorts {
  settings: Pick<BenchSettings, 'assetsRoot' | 'cacheDir' | 'env'>;
  notify: (notice: Notice) => void;
}

/** Throws an error that says why no engine answers and what to do. */
export async function requireEngine(backend: EngineBackend, { env }: Pick<BenchSettings, 'env'>): Promise<Docker> {
  const { engineAddress } = await import('../../backends/docker/engine-address.js');
  const { probeEngine } = await import('../../backends/docker/engine.js');
  const probe = await probeEngine(engineAddress(backend, env));
  if (probe.kind === 'ok') return probe.docker;
  throw new BenchError('services', probe.reason, { code: 'engine.unavailable', remedy: capitalized(probe.remedy) });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Builds both images that runs need here, where progress can be shown. */
export async function ensureImages(
  { settings, notify }: EnginePorts,
  backend: EngineBackend,
  docker: Docker,
  { base, signal }: { base?: string | undefined; signal: AbortSignal },
): Promise<({ kind: ImageKind } & BuiltImage)[]> {
  const { ensureImage } = await import('../../backends/docker/images.js');
  const donor = backend === 'docker' ? undefined : await requireEngine('docker', settings).catch(() => undefined);
  const onProgress = (line: string): void => notify({ code: 'progress', line });
  const images: ({ kind: ImageKind } & BuiltImage)[] = [];
  for (const kind of ['agent', 'evaluator'] as const) {
    const options = { assetsRoot: settings.assetsRoot, cacheDir: settings.cacheDir, base, donor, onProgress, signal };
    images.push({ kind, ...(await ensureImage(docker, kind, options)) });
  }
  return images;
}

const ENGINES = ['docker', 'podman'] as const;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * The backend of a new batch: by default the first of docker and podman that answers and has not
 * `failed`, else local, but only for scripted agents. Read-only.
 */
export async function chooseBackend(
  { settings, notify }: EnginePorts,
  requested: Backend | null,
  models: readonly ModelRef[],
  failed: ReadonlyMap<EngineBackend, Error> = new Map(),
): Promise<Backend> {
  if (requested === 'local') {
    notify({ code: 'backend.local' });
    return 'local';
  }
  if (requested !== null) {
    await requireEngine(requested, settings);
    return requested;
  }
  const failures: Error[] = [];
  for (const backend of ENGINES) {
    const failure = failed.get(backend) ?? (await requireEngine(backend, settings).then(() => null, asError));
    if (failure === null) return backend;
    failures.push(failure);
  }
  const withoutEngine = noEngine(failures, models);
  if (withoutEngine instanceof BenchError) throw withoutEngine;
  notify(withoutEngine);
  notify({ code: 'backend.local' });
  return 'local';
}

/** A notice where the models are scripted, else an error. */
function noEngine(failures: readonly Error[], models: readonly ModelRef[]): BenchError | Notice {
  const [first] = failures;
  const reason = failures.map((failure) => failure.message).join('; ');
  const remedy = first instanceof BenchError ? first.remedy : undefined;
  const real = models.find((model) => model.provider !== 'scripted');
  if (real === undefined) return { code: 'backend.no_engine', reason, remedy };
  return new BenchError('usage', `no containers for ${real.name}: ${reason}`, {
    code: 'engine.unavailable',
    remedy: `${remedy ?? 'Start a container engine (`bench doctor` helps)'}. Or run the model on the local backend, without isolation.`,
    fields: { backend: 'local' },
    cause: first,
  });
}

/**
 * The chosen backend with its images, built if missing. If the request names no backend and the
 * images cannot be built, the next choice.
 */
export async function withImages(
  ports: EnginePorts,
  { chosen, requested, models }: { chosen: Backend; requested: Backend | null; models: readonly ModelRef[] },
  signal: AbortSignal,
): Promise<Backend> {
  const failed = new Map<EngineBackend, Error>();
  let backend = chosen;
  while (backend !== 'local') {
    try {
      await ensureImages(ports, backend, await requireEngine(backend, ports.settings), { signal });
      return backend;
    } catch (error) {
      if (requested !== null) throw error;
      signal.throwIfAborted();
      failed.set(backend, asError(error));
    }
    backend = await chooseBackend(ports, requested, models, failed);
  }
  return backend;
}
