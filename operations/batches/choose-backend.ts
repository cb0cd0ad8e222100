import type { EngineBackend } from '../../backends/docker/engine-address.js';
import type { connectEngine } from '../../backends/docker/engine.js';
import type { BuiltImage, ImageKind } from '../../backends/docker/images.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model.js';
import type { Backend } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import type { BenchSettings } from '../settings.js';

type Docker = ReturnType<typeof connectEngine>;

/** The engine, or an error that says why there is none and what to do. */
export async function requireEngine(backend: EngineBackend, settings: BenchSettings): Promise<Docker> {
  const { engineAddress } = await import('../../backends/docker/engine-address.js');
  const { probeEngine } = await import('../../backends/docker/engine.js');
  const probe = await probeEngine(engineAddress(backend, settings.env));
  if (probe.kind === 'ok') return probe.docker;
  throw new BenchError('services', probe.reason, { code: 'engine.unavailable', remedy: capitalized(probe.remedy) });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Both images that runs need, built where progress can be shown. */
export async function ensureImages(
  bench: Bench,
  backend: EngineBackend,
  docker: Docker,
  { base, signal }: { base?: string | undefined; signal: AbortSignal },
): Promise<({ kind: ImageKind } & BuiltImage)[]> {
  const { ensureImage } = await import('../../backends/docker/images.js');
  const { settings } = bench;
  const donor = backend === 'docker' ? undefined : await requireEngine('docker', settings).catch(() => undefined);
  const onProgress = (line: string): void => bench.notify({ code: 'progress', line });
  const images: ({ kind: ImageKind } & BuiltImage)[] = [];
  for (const kind of ['agent', 'evaluator'] as const) {
    const options = { assetsRoot: settings.assetsRoot, cacheDir: settings.cacheDir, base, donor, onProgress, signal };
    images.push({ kind, ...(await ensureImage(docker, kind, options)) });
  }
  return images;
}

/**
 * The backend of a new batch. By default the first of docker and podman that answers and whose images exist or can be built; else
 * the local one, but only for scripted agents. Without `prepare` this is read-only.
 */
export async function chooseBackend(
  bench: Bench,
  wish: Backend | null,
  models: readonly ModelRef[],
  { prepare }: { prepare: { signal: AbortSignal } | null },
): Promise<Backend> {
  if (wish === 'local') {
    bench.notify({ code: 'backend.local' });
    return 'local';
  }
  const engine = async (backend: EngineBackend): Promise<Backend> => {
    const docker = await requireEngine(backend, bench.settings);
    if (prepare !== null) await ensureImages(bench, backend, docker, prepare);
    return backend;
  };
  if (wish !== null) return await engine(wish);
  const failures: Error[] = [];
  for (const backend of ['docker', 'podman'] as const) {
    try {
      return await engine(backend);
    } catch (error) {
      prepare?.signal.throwIfAborted();
      failures.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  const [first] = failures;
  const reason = failures.map((failure) => failure.message).join('; ');
  const remedy = first instanceof BenchError ? first.remedy : undefined;
  const real = models.find((model) => model.provider !== 'scripted');
  if (real !== undefined) {
    throw new BenchError('usage', `no containers for ${real.name}: ${reason}`, {
      code: 'engine.unavailable',
      remedy: `${remedy ?? 'Start a container engine (`bench doctor` helps)'}. Or run the model on the local backend, without isolation.`,
      fields: { backend: 'local' },
      cause: first,
    });
  }
  bench.notify({ code: 'backend.no_engine', reason, remedy });
  bench.notify({ code: 'backend.local' });
  return 'local';
}
