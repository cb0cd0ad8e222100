import type { Backends } from '../domain/ports/backends.js';
import { connectEngine } from '../backends/docker/engine.js';
import type { EngineAddress } from '../backends/docker/engine-address.js';
import { endEvaluationsOf } from '../backends/docker/evaluation-container.js';
import { createDockerEvaluator } from '../backends/docker/evaluator.js';
import { ensureImage, type ImageKind } from '../backends/docker/images.js';
import { ensureTaskImage } from '../backends/docker/task-image.js';
import type { DiskRoom } from '../backends/docker/disk-room.js';
import { createDockerLeftovers } from '../backends/docker/leftovers.js';
import { once } from '../domain/once.js';
import { createDockerSandbox } from '../backends/docker/sandbox.js';
import { createLocalEvaluator } from '../backends/local/evaluator.js';
import { createHostLeftovers } from '../backends/local/leftovers.js';
import { createLocalSandbox } from '../backends/local/sandbox.js';
import { attributed } from '../domain/run/end-cause.js';
import { BenchError } from '../domain/errors.js';
import type { Backend } from '../domain/run/run.js';
import { homeTag as tagOf } from '../operations/home/home-identity.js';
import { layerOf } from '../domain/task/requirements.js';
import type { Logger } from './logger.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';

/** Engines are contacted only when a run needs them. */
export function createBackends(settings: WorkerSettings, log: Logger, room?: DiskRoom): Backends {
  const { layout, assetsRoot } = settings;
  const homeTag = tagOf(layout);
  const { docker: dockerAt, podman: podmanAt } = settings.engines;
  const engineBackend = (
    address: EngineAddress | BenchError,
    donorAt?: EngineAddress | BenchError,
  ): Backends[Backend] => {
    if (address instanceof BenchError) return unusable(address);
    const docker = connectEngine(address);
    const donor = donorAt === undefined || donorAt instanceof BenchError ? undefined : connectEngine(donorAt);
    const image = (kind: ImageKind) =>
      once(() => {
        const onProgress = (line: string) => log.info({ backend: address.backend, kind, line }, 'image');
        return ensureImage(docker, kind, { assetsRoot, cacheDir: settings.cacheDir, donor, onProgress });
      });
    const evaluatorImage = image('evaluator');
    const layerOptions = {
      sources: settings.packageSources,
      assetsRoot,
      onProgress: (line: string) => log.info({ backend: address.backend, line }, 'image layer'),
    };
    return {
      sandbox: createDockerSandbox({
        docker,
        backend: address.backend,
        sharesFiles: address.sharesFiles,
        image: image('agent'),
        taskImage: (plain, layer) => ensureTaskImage(docker, 'agent', plain, layer, layerOptions),
        room,
        layout,
        homeTag,
        onWarning: (text) => log.warn({ backend: address.backend }, text),
      }),
      leftovers: createDockerLeftovers({ docker, homeTag }),
      evaluator: {
        isolation: 'container',
        evaluate: async (job, signal) => {
          const layer = layerOf(job.task, 'evaluator', job.taskDir);
          const { ref, digest } = await attributed('image', async () =>
            ensureTaskImage(docker, 'evaluator', await evaluatorImage(), layer, layerOptions),
          );
          const figures = address.sharesFiles ? { figuresDir: layout.figures } : {};
          const evaluator = createDockerEvaluator({ docker, imageRef: ref, imageDigest: digest, homeTag, ...figures });
          return evaluator.evaluate(job, signal);
        },
        endOf: (runId) => endEvaluationsOf({ docker, homeTag }, runId),
      },
    };
  };
  return {
    docker: engineBackend(dockerAt),
    podman: engineBackend(podmanAt, dockerAt),
    local: {
      sandbox: createLocalSandbox({ layout, assetsRoot }),
      evaluator: createLocalEvaluator({ assetsRoot, scratchDir: layout.scratch, home: layout.home }),
      leftovers: createHostLeftovers({ layout }),
    },
  };
}

/** The engine's address is invalid: runs that need it fail with the reason. */
function unusable(problem: BenchError): Backends[Backend] {
  const refuse = () => Promise.reject(problem);
  return {
    sandbox: {
      ...{ backend: 'docker', isolation: 'container' },
      ...{
        start: refuse,
        begunAfter: refuse,
        run: refuse,
        interrupt: refuse,
        printed: refuse,
        exec: refuse,
        stopExec: refuse,
        collect: refuse,
        snapshot: () => {
          throw problem;
        },
        freeze: refuse,
        thaw: refuse,
        networkRequests: refuse,
        stop: refuse,
        list: refuse,
      },
    },
    evaluator: { isolation: 'container', evaluate: refuse },
    leftovers: { find: refuse },
  };
}
