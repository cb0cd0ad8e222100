import { PODMAN_ULIMITS } from '../engine.js';
import type Docker from 'dockerode';
import type { EvaluatorSpec } from '../../../domain/task/evaluator-spec.js';
import { InfrastructureError } from '../../../domain/errors.js';
import { judgeReward } from '../../../domain/harbor/reward.js';
import type { EvaluationJob, EvaluationOutcome } from '../../../domain/ports/evaluator-port.js';
import { WHOLE } from '../../../domain/ports/sandbox-port.js';
import { waitForExit } from '../container-life.js';
import { output } from '../container-output.js';
import { inContainer } from '../evaluation-container.js';
import type { DockerEvaluatorOptions } from '../evaluator-options.js';
import { gpuEnvironment, gpuRequests } from '../gpu-devices.js';
import { LOCALHOST } from '../localhost.js';
import { tarBytes, type TarEntry } from '../tar-bytes.js';
import { leftBehind } from './left-behind.js';
import { judgeLiveTests } from './live-tests.js';
import { pathOf, verificationEnvironment } from './provision-script.js';
import { testsArchive } from './tests-archive.js';

const STARTUP_MS = 120_000;
/** SIGKILL, SIGTERM, and unknown to an engine that was away. */
const ENDED_FROM_OUTSIDE = [137, 143, 255];
/** From the engines' default: tests run programs in a chroot, and serve at ports below 1024. */
const CAPABILITIES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETUID', 'SETGID', 'KILL'],
  ...['SYS_CHROOT', 'NET_BIND_SERVICE'],
];
/** Engines write none without a network. */
const HOSTS: TarEntry = { name: 'etc/hosts', mode: 0o644, bytes: Buffer.from(LOCALHOST) };

/**
 * Harbor's tests in a fresh container of the verifier's image, without a network. It gets the
 * agent's working folder and the tests; the results are read after every process has ended.
 */
export async function verify(
  options: DockerEvaluatorOptions,
  job: EvaluationJob,
  podman: boolean,
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const { docker } = options;
  const { evaluator } = job.task;
  if (evaluator.kind !== 'harbor') throw new Error(`${job.task.id} has no tests of Harbor`);
  if (evaluator.verification === 'live') return judgeLiveTests(job.submission, evaluator.ctrf);
  return await inContainer(
    options,
    job,
    {
      what: 'verification',
      longestMs: evaluator.timeoutSeconds * 1000 + STARTUP_MS,
      make: (name, labels) => containerOptions(options, job, evaluator, { name, labels, podman }),
      fill: (container) => fill(container, job, evaluator.workdir),
      outcome: (container) => outcome(docker, container, evaluator, signal),
    },
    signal,
  );
}

async function containerOptions(
  options: DockerEvaluatorOptions,
  job: EvaluationJob,
  evaluator: Extract<EvaluatorSpec, { kind: 'harbor' }>,
  { name, labels, podman }: { name: string; labels: Record<string, string>; podman: boolean },
): Promise<Docker.ContainerCreateOptions> {
  const { Config: image } = await options.docker.getImage(options.imageRef).inspect();
  return {
    ...{ name, Image: options.imageRef, Labels: labels, User: '0:0', NetworkDisabled: true, StopSignal: 'SIGKILL' },
    Entrypoint: ['/bin/bash', '/tests/test.sh'],
    Cmd: [],
    WorkingDir: evaluator.workdir,
    Env: [
      ...verificationEnvironment(evaluator.env, pathOf(image.Env)),
      ...(job.gpus === undefined ? [] : gpuEnvironment(job.gpus.devices)),
    ],
    HostConfig: {
      Init: !podman,
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      CapAdd: CAPABILITIES,
      SecurityOpt: ['no-new-privileges'],
      Memory: evaluator.memoryMb * 1024 * 1024,
      MemorySwap: evaluator.memoryMb * 1024 * 1024,
      CpuPeriod: 100_000,
      CpuQuota: Math.round(job.task.limits.cpus * 100_000),
      PidsLimit: job.task.limits.pids,
      ...gpuRequests(job.gpus?.devices ?? []),
      ...(podman && { Ulimits: PODMAN_ULIMITS }),
      LogConfig: { Type: podman ? 'k8s-file' : 'json-file', Config: { 'max-size': '1m' } },
      RestartPolicy: { Name: 'no' },
    },
  };
}

async function fill(container: Docker.Container, job: EvaluationJob, workdir: string): Promise<void> {
  const archive = (name: string) => job.submission.find(({ path }) => path === name)?.bytes;
  const workspace = archive(WHOLE.workspace);
  if (workspace === undefined) throw new Error(`the submission has no ${WHOLE.workspace}`);
  await container.putArchive(workspace, { path: workdir });
  const [home, tmp] = [archive(WHOLE.home), archive(WHOLE.tmp)];
  const folders: TarEntry[] = ['home', 'home/agent', 'logs', 'logs/verifier', 'logs/agent', 'logs/artifacts'].map(
    (name) => ({ name, mode: name === 'logs/verifier' ? 0o700 : 0o755, bytes: null }),
  );
  // The tests last, so that no file of the agent overwrites them.
  await container.putArchive(await tarBytes([...folders.slice(home === undefined ? 2 : 0), HOSTS]), { path: '/' });
  if (home !== undefined) await container.putArchive(home, { path: '/home/agent' });
  if (tmp !== undefined) await container.putArchive(tmp, { path: '/tmp' });
  await container.putArchive(await testsArchive(job.taskDir, 0o755), { path: '/' });
}

async function outcome(
  docker: Docker,
  container: Docker.Container,
  { timeoutSeconds, memoryMb, ctrf }: { timeoutSeconds: number; memoryMb: number; ctrf: boolean },
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const limit = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    await waitForExit(container, AbortSignal.any([signal, limit]));
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
    return { kind: 'rejected', message: `the tests took longer than ${timeoutSeconds} s` };
  }
  const { State } = await container.inspect();
  // The container has ended, so no process writes there.
  const left = await leftBehind(container);
  const text = (name: string): string | null => left.get(name) ?? null;
  const found = { rewardJson: text('reward.json'), rewardTxt: text('reward.txt'), ctrf: text('ctrf.json') };
  const judged = judgeReward(found, ctrf);
  if (judged.kind !== 'evaluator_error') return judged;
  if (State.OOMKilled)
    return { kind: 'rejected', message: `the tests ran out of memory (the limit is ${memoryMb} MB)` };
  const { stdout, stderr } = await output(docker, container);
  // Probably ended from outside: by the engine, or by an operator.
  if (ENDED_FROM_OUTSIDE.includes(State.ExitCode) && found.rewardJson === null && found.rewardTxt === null)
    throw new InfrastructureError(`the verification ended with code ${State.ExitCode} before it gave a reward`);
  return { ...judged, message: `${judged.message}\n${`${stdout}\n${stderr}`.trim().slice(-2000)}`.trim() };
}
