import { connectEngine } from '../activities/docker/engine.js';
import { createDockerEvaluator } from '../activities/docker/evaluator.js';
import { ensureImage } from '../activities/docker/images.js';
import { createDockerSandbox } from '../activities/docker/sandbox.js';
import { createLocalEvaluator } from '../activities/local/evaluator.js';
import { createLocalSandbox } from '../activities/local/sandbox.js';
import { Sandboxes } from '../activities/sandboxes.js';
import type { WorkerSettings } from './settings.js';
import type { Logger } from './logger.js';
import { homeTag } from './home-identity.js';

/** The adapters of each backend, wired to this home. */
export function backends(settings: WorkerSettings, log: Logger): Sandboxes {
  const { layout, assetsRoot } = settings;
  const tag = homeTag(layout);
  return new Sandboxes({
    docker: async () => {
      const docker = connectEngine(settings.dockerHost);
      const onProgress = (line: string): void => log.info({ line }, 'image');
      const agent = await ensureImage(docker, 'agent', { assetsRoot, onProgress });
      const evaluator = await ensureImage(docker, 'evaluator', { assetsRoot, onProgress });
      return {
        sandbox: createDockerSandbox({ docker, imageRef: agent.ref, imageDigest: agent.digest, layout, homeTag: tag }),
        evaluator: createDockerEvaluator({ docker, imageRef: evaluator.ref, homeTag: tag }),
      };
    },
    local: async () => ({
      sandbox: createLocalSandbox({ layout, assetsRoot }),
      evaluator: createLocalEvaluator({ assetsRoot, scratchDir: `${layout.home}/scratch` }),
    }),
  });
}
