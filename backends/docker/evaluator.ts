import type Docker from 'dockerode';
import { InfrastructureError } from '../../domain/errors.js';
import { PLAYER_UID, REFEREE_UID } from '../../domain/run/limits.js';
import type { EvaluationJob, EvaluationOutcome, EvaluatorPort } from '../../domain/ports/evaluator-port.js';
import { groupOf, type JobFile, jobFiles, modeOf } from '../evaluator/job-files.js';
import { containerMb, outputMb } from '../evaluator/memory.js';
import { readResult } from '../evaluator/read-result.js';
import { hostTimeLimitMs } from '../evaluator/time-limit.js';
import { waitForExit } from './container-life.js';
import { output } from './container-output.js';
import { endEvaluationsOf, inContainer } from './evaluation-container.js';
import type { DockerEvaluatorOptions } from './evaluator-options.js';
import { isPodman, PODMAN_PROCESSES } from './engine.js';
import { gpuEnvironment, gpuRequests } from './gpu-devices.js';
import { localHosts } from './localhost.js';
import { hiddenFigures, madeUpFigures } from './machine-figures.js';
import { once } from '../../domain/once.js';
import { verify } from './harbor/verify.js';
import { tarBytes, type TarEntry } from './tar-bytes.js';

const USERS = {
  referee: { uid: REFEREE_UID, gid: REFEREE_UID },
  player: { uid: PLAYER_UID, gid: PLAYER_UID },
};

/** A tmpfs of limited size for a program's outputs. */
const OUTPUT_FOLDER = '/output';
const PLAYERS_FOLDER = `nr_inodes=10000,mode=700,uid=${USERS.player.uid},gid=${USERS.player.gid}`;
/** Podman's tmpfs belongs to root. Only the player writes there, which counts as its memory. */
const PODMAN_FOLDER = 'mode=777';

/** One container per evaluation. Secrets and submission are copied; only figures are mounted. */
export function createDockerEvaluator(options: DockerEvaluatorOptions): EvaluatorPort {
  const { docker } = options;
  // Podman asks its host's package manager for each such answer.
  const podman = once(() => isPodman(docker));
  return {
    isolation: 'container',
    async evaluate(job, signal) {
      signal.throwIfAborted();
      if (job.task.evaluator.kind === 'harbor') return await verify(options, job, await podman(), signal);
      const files = await jobFiles(job, {
        users: USERS,
        lifeline: false,
        ownContainer: true,
        outputFolder: OUTPUT_FOLDER,
      });
      const archive = await tarBytes(files.map(ownedEntry));
      return await inContainer(
        options,
        job,
        {
          what: 'evaluation',
          longestMs: hostTimeLimitMs(job.task),
          make: async (name, labels) =>
            containerOptions(...([job, name, labels, options, await podman()] as const), await figuresOf(options, job)),
          fill: async (container) => {
            await container.putArchive(archive, { path: '/job' });
          },
          outcome: (container) => outcome(docker, container, job, signal),
        },
        signal,
      );
    },
    endOf: (runId) => endEvaluationsOf(options, runId),
  };
}

const figuresOf = async ({ figuresDir }: DockerEvaluatorOptions, { task }: EvaluationJob) =>
  figuresDir === undefined
    ? []
    : [...(await madeUpFigures(figuresDir, containerMb(task.evaluator) * 1024 * 1024)), await localHosts(figuresDir)];

function containerOptions(
  job: EvaluationJob,
  name: string,
  labels: Record<string, string>,
  { imageRef }: DockerEvaluatorOptions,
  podman: boolean,
  figures: Docker.MountSettings[],
): Docker.ContainerCreateOptions {
  const { gpus } = job;
  const { evaluator } = job.task;
  const memory = containerMb(evaluator) * 1024 * 1024;
  return {
    name,
    Image: imageRef,
    Labels: labels,
    ...(gpus !== undefined && { Env: gpuEnvironment(gpus.devices) }),
    // Saves the engine's network set-up, but also its /etc/hosts, so we must mount ours.
    NetworkDisabled: figures.length > 0,
    StopSignal: 'SIGKILL',
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      // putArchive fails on read-only roots and tmpfs; the container's removal removes the volume.
      Mounts: [
        {
          Type: 'volume',
          Target: '/job',
          Source: '',
          VolumeOptions: { NoCopy: true, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
        },
        ...figures,
      ],
      Tmpfs: {
        '/tmp': 'size=64m,mode=1777,nosuid,nodev,noexec',
        ...(outputMb(evaluator) === 0
          ? {}
          : {
              [OUTPUT_FOLDER]: `size=${outputMb(evaluator)}m,${podman ? PODMAN_FOLDER : PLAYERS_FOLDER},nosuid,nodev,noexec`,
            }),
      },
      CapDrop: ['ALL'],
      CapAdd: ['SETUID', 'SETGID', 'KILL'],
      ...hiddenFigures(podman, ['no-new-privileges']),
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: 1e9,
      // CUDA has threads of its own.
      PidsLimit: gpus === undefined ? 64 : 512,
      ...gpuRequests(gpus?.devices ?? []),
      ShmSize: 1024 * 1024,
      Ulimits: [{ Name: 'nofile', Soft: 256, Hard: 256 }, ...(podman ? [PODMAN_PROCESSES] : [])],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
      RestartPolicy: { Name: 'no' },
    },
  };
}

async function outcome(
  docker: Docker,
  container: Docker.Container,
  job: EvaluationJob,
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const limit = AbortSignal.timeout(hostTimeLimitMs(job.task));
  const exitCode = await waitForExit(container, AbortSignal.any([signal, limit]));
  // Only init writes there: its children have their own pipes.
  const printed = await output(docker, container);
  // After a kill, the engine may have kept only the beginning of the line.
  if (exitCode === 0) return readResult(printed.stdout.endsWith('\n') ? printed.stdout : '', job.task);
  const { State } = await container.inspect();
  const { evaluator } = job.task;
  if (State.OOMKilled && 'memoryMb' in evaluator)
    // Init and referee have limited memory, so the submission caused it.
    return {
      kind: 'rejected',
      message: `The submission used too much memory (the limit is ${evaluator.memoryMb} MB)`,
    };
  throw new InfrastructureError(
    `evaluation ${job.id} of ${job.task.id}: its container ended with code ${exitCode} ${printed.stderr.slice(-2000)}`.trim(),
  );
}

const ownedEntry = (file: JobFile): TarEntry => ({
  name: file.path,
  mode: modeOf(file),
  gid: groupOf(file, USERS),
  bytes: file.bytes,
});
