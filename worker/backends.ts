import type Docker from 'dockerode';
import type { Backends } from '../activities/backends.js';
import { connectEngine } from '../activities/docker/engine.js';
import { createDockerEvaluator } from '../activities/docker/evaluator.js';
import { ensureImage, type ImageKind } from '../activities/docker/images.js';
import { createDockerSandbox } from '../activities/docker/sandbox.js';
import { createLocalEvaluator } from '../activities/local/evaluator.js';
import { createLocalSandbox } from '../activities/local/sandbox.js';
import type { Backend } from '../domain/run.js';
import { homeTag as tagOf } from './home-identity.js';
import type { Logger } from './logger.js';
import type { WorkerSettings } from './settings.js';

/** The adapters of each backend, wired to this home. Nothing is asked of an engine before a run needs it. */
export function createBackends(settings: WorkerSettings, log: Logger): Backends {
  const { layout, assetsRoot } = settings;
  const homeTag = tagOf(layout);
  const engineBackend = (docker: Docker): Backends[Backend] => {
    const image = (kind: ImageKind) =>
      remembered(() =>
        ensureImage(docker, kind, { assetsRoot, onProgress: (line) => log.info({ kind, line }, 'image') }),
      );
    const evaluatorImage = image('evaluator');
    return {
      sandbox: createDockerSandbox({ docker, image: image('agent'), layout, homeTag }),
      evaluator: {
        isolation: 'container',
        evaluate: async (job, signal) => {
          const { ref } = await evaluatorImage();
          return createDockerEvaluator({ docker, imageRef: ref, homeTag }).evaluate(job, signal);
        },
      },
    };
  };
  return {
    docker: engineBackend(connectEngine(settings.dockerHost)),
    podman: engineBackend(connectEngine(settings.podmanHost)),
    local: {
      sandbox: createLocalSandbox({ layout, assetsRoot }),
      evaluator: createLocalEvaluator({ assetsRoot, scratchDir: `${layout.home}/scratch` }),
    },
  };
}

/** Remember a success; after a failure the next call tries again. */
function remembered<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
