import type { connectEngine } from '../../activities/docker/engine.js';
import type { BuiltImage, ImageKind } from '../../activities/docker/images.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model.js';
import type { Backend } from '../../domain/run.js';
import type { CliContext } from '../context.js';

type Docker = ReturnType<typeof connectEngine>;

const LOCAL_NOTICE =
  'The agents run as plain processes on this machine (local backend): no isolation; their rows say so and are ranked only on request.';

/** The engine, or an error that says why there is none and what to do. */
export async function requireEngine(dockerHost: string | undefined): Promise<Docker> {
  const { probeEngine } = await import('../../activities/docker/engine.js');
  const probe = await probeEngine(dockerHost);
  if (probe.kind === 'ok') return probe.docker;
  throw new BenchError('services', probe.reason, { remedy: capitalized(probe.remedy) });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Both images that runs need, built where progress can be shown. */
export async function ensureImages(
  context: CliContext,
  docker: Docker,
  base?: string,
): Promise<({ kind: ImageKind } & BuiltImage)[]> {
  const { ensureImage } = await import('../../activities/docker/images.js');
  const { settings, output } = context;
  const onProgress = (line: string): void => output.log(output.logColors.dim(line));
  const images: ({ kind: ImageKind } & BuiltImage)[] = [];
  for (const kind of ['agent', 'evaluator'] as const) {
    images.push({ kind, ...(await ensureImage(docker, kind, { assetsRoot: settings.assetsRoot, base, onProgress })) });
  }
  return images;
}

/**
 * The backend of a new batch. Without a wish: docker if an engine answers and the images stand or can be built; else the local
 * one, but only for scripted agents. `prepare: false` looks and changes nothing.
 */
export async function chooseBackend(
  context: CliContext,
  wish: Backend | undefined,
  models: readonly ModelRef[],
  { prepare }: { prepare: boolean },
): Promise<Backend> {
  const { output, settings } = context;
  if (wish === 'local') {
    output.log(output.logColors.yellow(LOCAL_NOTICE));
    return 'local';
  }
  try {
    const docker = await requireEngine(settings.dockerHost);
    if (prepare) await ensureImages(context, docker);
    return 'docker';
  } catch (error) {
    if (wish === 'docker') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = error instanceof BenchError ? error.remedy : undefined;
    const real = models.find((model) => model.kind !== 'scripted');
    if (real !== undefined) {
      throw new BenchError('usage', `no containers for ${real.name}: ${reason}`, {
        remedy: `${remedy ?? 'Start a container engine (`bench doctor` helps)'}. Or say --backend local to run the model without isolation.`,
        cause: error,
      });
    }
    output.log(output.logColors.yellow(`No containers: ${reason}.`));
    if (remedy !== undefined) output.log(output.logColors.dim(`To have them: ${remedy}`));
    output.log(output.logColors.yellow(LOCAL_NOTICE));
    return 'local';
  }
}
