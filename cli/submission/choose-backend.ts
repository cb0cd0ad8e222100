import type { EngineBackend } from '../../activities/docker/engine-address.js';
import type { connectEngine } from '../../activities/docker/engine.js';
import type { BuiltImage, ImageKind } from '../../activities/docker/images.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model.js';
import type { Backend } from '../../domain/run.js';
import type { CliContext, CliSettings } from '../context.js';

type Docker = ReturnType<typeof connectEngine>;

/** What to say after Ctrl-C. */
export const BUILD_LEFT = 'Left: the build was ended; nothing was submitted.';

const LOCAL_NOTICE =
  'The agents run as plain processes on this machine (local backend): no isolation; their rows say so and are ranked only on request.';

/** The engine, or an error that says why there is none and what to do. */
export async function requireEngine(backend: EngineBackend, settings: CliSettings): Promise<Docker> {
  const { engineAddress } = await import('../../activities/docker/engine-address.js');
  const { probeEngine } = await import('../../activities/docker/engine.js');
  const probe = await probeEngine(engineAddress(backend, settings.env));
  if (probe.kind === 'ok') return probe.docker;
  throw new BenchError('services', probe.reason, { remedy: capitalized(probe.remedy) });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Both images that runs need, built where progress can be shown. */
export async function ensureImages(
  context: CliContext,
  backend: EngineBackend,
  docker: Docker,
  { base, signal }: { base?: string | undefined; signal: AbortSignal },
): Promise<({ kind: ImageKind } & BuiltImage)[]> {
  const { ensureImage } = await import('../../activities/docker/images.js');
  const { settings, output } = context;
  const donor = backend === 'docker' ? undefined : await requireEngine('docker', settings).catch(() => undefined);
  const onProgress = (line: string): void => output.log(output.logColors.dim(line));
  const images: ({ kind: ImageKind } & BuiltImage)[] = [];
  for (const kind of ['agent', 'evaluator'] as const) {
    const options = { assetsRoot: settings.assetsRoot, cacheDir: settings.cacheDir, base, donor, onProgress, signal };
    images.push({ kind, ...(await ensureImage(docker, kind, options)) });
  }
  return images;
}

/**
 * The backend of a new batch. Without a wish: the first of docker and podman that answers and whose images stand or can be built;
 * else the local one, but only for scripted agents. Without `prepare` it looks and changes nothing.
 */
export async function chooseBackend(
  context: CliContext,
  wish: Backend | undefined,
  models: readonly ModelRef[],
  { prepare }: { prepare: { signal: AbortSignal } | null },
): Promise<Backend> {
  const { output } = context;
  if (wish === 'local') {
    output.log(output.logColors.yellow(LOCAL_NOTICE));
    return 'local';
  }
  const engine = async (backend: EngineBackend): Promise<Backend> => {
    const docker = await requireEngine(backend, context.settings);
    if (prepare !== null) await ensureImages(context, backend, docker, prepare);
    return backend;
  };
  if (wish !== undefined) return await engine(wish);
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
      remedy: `${remedy ?? 'Start a container engine (`bench doctor` helps)'}. Or say --backend local to run the model without isolation.`,
      cause: first,
    });
  }
  output.log(output.logColors.yellow(`No containers: ${reason}.`));
  if (remedy !== undefined) output.log(output.logColors.dim(`To have them: ${remedy}`));
  output.log(output.logColors.yellow(LOCAL_NOTICE));
  return 'local';
}
