import { mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine, probeEngine } from '../../backends/docker/engine.js';
import { engineAddress, type EngineAddress } from '../../backends/docker/engine-address.js';
import { createDockerEvaluator } from '../../backends/docker/evaluator.js';
import { ensureImage } from '../../backends/docker/images.js';
import { createLocalEvaluator } from '../../backends/local/evaluator.js';
import type { EvaluationJob, EvaluatorPort } from '../../domain/ports/evaluator-port.js';
import { LONG } from '../setup/long.js';
import { testPodman } from '../setup/podman-engine.js';
import { REPOSITORY } from './evaluation-job.js';
import { notTested } from '../setup/not-tested.js';

export interface EvaluatorHarness {
  port: EvaluatorPort;
  /** Has the submission no network and no sight of this repository? */
  secluded: boolean;
  /** Containers, volumes, folders of ours that exist now. */
  traces(): Promise<string[]>;
  /** What a worker that died during this job would have left. */
  leaveBehind(job: EvaluationJob): Promise<void>;
  close(): Promise<void>;
}

const podman = await probeEngine(testPodman());
if (podman.kind !== 'ok') notTested('podman', podman.reason);

/** The adapters of the evaluator port, as tests see them. */
export const evaluatorHarnesses: Record<string, () => Promise<EvaluatorHarness>> = {
  docker: () => engineHarness(engineAddress('docker', {})),
  ...(podman.kind === 'ok' && { podman: () => engineHarness(testPodman()) }),
  local: () => localHarness(true),
  ...(LONG && { 'local where namespaces are forbidden': () => localHarness(false) }),
};

async function engineHarness(address: EngineAddress): Promise<EvaluatorHarness> {
  const docker = connectEngine(address);
  const donor = address.backend === 'podman' ? connectEngine(engineAddress('docker', {})) : undefined;
  const { ref } = await ensureImage(docker, 'evaluator', { assetsRoot: REPOSITORY, donor });
  const homeTag = `test-${process.pid}`;
  const filters = { label: [`bench.home=${homeTag}`] };
  const figuresDir = await mkdtemp(join(tmpdir(), 'bench-test-figures-'));
  return {
    port: createDockerEvaluator({ docker, imageRef: ref, homeTag, figuresDir }),
    secluded: true,
    async traces() {
      const containers = await docker.listContainers({ all: true, filters });
      const { Volumes } = await docker.listVolumes({ filters });
      return [...containers.map((c) => c.Names.join()), ...(Volumes ?? []).map((v) => v.Name)];
    },
    async leaveBehind(job) {
      const Labels = { 'bench.home': homeTag };
      await docker.createContainer({ name: `bench-${homeTag}-eval-${job.id}`, Image: ref, Labels });
    },
    close: () => rm(figuresDir, { recursive: true, force: true }),
  };
}

async function localHarness(namespaces: boolean): Promise<EvaluatorHarness> {
  const scratchDir = await mkdtemp(join(tmpdir(), 'bench-test-scratch-'));
  // Without namespaces root's evaluations lie where unprivileged users can reach them.
  const parent = namespaces || process.getuid?.() !== 0 ? scratchDir : tmpdir();
  return {
    port: createLocalEvaluator({ assetsRoot: REPOSITORY, scratchDir, home: scratchDir, namespaces }),
    secluded: namespaces,
    traces: async () => (await readdir(parent)).filter((entry) => entry.startsWith(`bench-eval-job-${process.pid}-`)),
    async leaveBehind(job) {
      await mkdir(join(parent, `bench-eval-${job.id}`, 'submission'), { recursive: true });
      await writeFile(join(parent, `bench-eval-${job.id}`, 'submission', 'old.py'), 'old');
    },
    close: () => rm(scratchDir, { recursive: true, force: true }),
  };
}
