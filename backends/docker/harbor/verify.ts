import { once } from 'node:events';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { extract } from 'tar-stream';
import { InfrastructureError } from '../../../domain/errors.js';
import { judgeReward, type VerifierFiles } from '../../../domain/harbor/reward.js';
import type { EvaluationJob, EvaluationOutcome } from '../../../domain/ports/evaluator-port.js';
import { WHOLE } from '../../../domain/ports/sandbox-port.js';
import { markFor } from '../../mark.js';
import { folderFiles } from '../../shell/folder-files.js';
import { removeContainer, waitForExit } from '../container-life.js';
import { output } from '../container-output.js';
import type { DockerEvaluatorOptions } from '../evaluator-options.js';
import { EVALUATION_LABEL, HOME_LABEL, MAKER_LABEL, UNTIL_LABEL } from '../labels.js';
import { PODMAN_ULIMITS } from '../sandbox-container.js';
import { tarBytes, type TarEntry } from '../tar-bytes.js';
import { LOGS, verificationEnvironment } from './provision-script.js';

/** Of all that the tests leave. */
const LOGS_LIMIT = 16 * 1024 * 1024;
const READ_LIMIT_MS = 60_000;
const STARTUP_MS = 120_000;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Harbor's tests in a container of the verifier's image that no agent has been in, without a network. It gets the working folder in
 * place of the image's, and the tests. When test.sh has ended, so has every other process; then what it left is read.
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
  const name = `bench-${options.homeTag}-eval-${job.id}`;
  try {
    await removeContainer(docker.getContainer(name));
    const { Config: image } = await docker.getImage(options.imageRef).inspect();
    const path = (image.Env ?? []).find((one) => one.startsWith('PATH='))?.slice('PATH='.length) ?? DEFAULT_PATH;
    const labels = await labelsOf(options, job, evaluator.timeoutSeconds);
    const container = await docker.createContainer({
      ...{ name, Image: options.imageRef, Labels: labels, User: '0:0', NetworkDisabled: true, StopSignal: 'SIGKILL' },
      Entrypoint: ['/bin/bash', '/tests/test.sh'],
      Cmd: [],
      WorkingDir: evaluator.workdir,
      Env: verificationEnvironment(evaluator.env, path),
      HostConfig: {
        Init: !podman,
        NetworkMode: 'none',
        // Empty: what the agent deleted is not there.
        Mounts: [
          {
            ...{ Type: 'volume', Target: evaluator.workdir, Source: '' },
            VolumeOptions: { NoCopy: true, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
          },
        ],
        CapDrop: ['ALL'],
        CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETUID', 'SETGID', 'KILL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: evaluator.memoryMb * 1024 * 1024,
        MemorySwap: evaluator.memoryMb * 1024 * 1024,
        CpuPeriod: 100_000,
        CpuQuota: Math.round(job.task.limits.cpus * 100_000),
        PidsLimit: job.task.limits.pids,
        ...(podman && { Ulimits: PODMAN_ULIMITS }),
        LogConfig: { Type: podman ? 'k8s-file' : 'json-file', Config: { 'max-size': '1m' } },
        RestartPolicy: { Name: 'no' },
      },
    });
    try {
      await fill(container, job, evaluator.workdir);
      await container.start();
      const found = await outcome(docker, container, evaluator, signal);
      return options.imageDigest === undefined ? found : { ...found, imageDigest: options.imageDigest };
    } finally {
      await removeContainer(container);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof InfrastructureError) throw error;
    throw new InfrastructureError(`verification ${job.id} of ${job.task.id}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function labelsOf({ homeTag }: DockerEvaluatorOptions, job: EvaluationJob, seconds: number) {
  const { maker, until } = await markFor(seconds * 1000 + STARTUP_MS);
  return {
    [HOME_LABEL]: homeTag,
    [EVALUATION_LABEL]: job.id,
    [MAKER_LABEL]: maker,
    [UNTIL_LABEL]: String(until),
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
  // The tests last: nothing of the agent's lies over them.
  await container.putArchive(await tarBytes(folders.slice(home === undefined ? 2 : 0)), { path: '/' });
  if (home !== undefined) await container.putArchive(home, { path: '/home/agent' });
  if (tmp !== undefined) await container.putArchive(tmp, { path: '/tmp' });
  await container.putArchive(await testsArchive(join(job.taskDir, 'evaluator', 'tests')), { path: '/' });
}

async function testsArchive(dir: string): Promise<Buffer> {
  const files = await folderFiles(dir);
  const folders = new Set(['tests']);
  for (const { path } of files)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      folders.add(`tests/${path.slice(0, at)}`);
  return await tarBytes([
    ...[...folders].sort().map((name) => ({ name, mode: 0o755, bytes: null })),
    ...(await Promise.all(
      files.map(async ({ path, executable }) => ({
        name: `tests/${path}`,
        mode: executable || path.endsWith('.sh') ? 0o755 : 0o644,
        bytes: await readFile(join(dir, path)),
      })),
    )),
  ]);
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
  const judged = judgeReward(await leftBehind(container), ctrf);
  if (judged.kind !== 'evaluator_error') return judged;
  if (State.OOMKilled)
    return { kind: 'rejected', message: `the tests ran out of memory (the limit is ${memoryMb} MB)` };
  const { stdout, stderr } = await output(docker, container);
  return { ...judged, message: `${judged.message}\n${`${stdout}\n${stderr}`.trim().slice(-2000)}`.trim() };
}

/** Its container has ended, so nobody writes to it. Plain files alone, and of the log folder itself. */
async function leftBehind(container: Docker.Container): Promise<VerifierFiles> {
  const abortSignal = AbortSignal.timeout(READ_LIMIT_MS);
  const found = new Map<string, string>();
  const stream = await container.getArchive({ path: LOGS, abortSignal });
  const entries = extract();
  stream.pipe(entries);
  stream.on('error', (error: Error) => entries.destroy(error));
  const abort = (): void => void entries.destroy(abortSignal.reason as Error);
  abortSignal.addEventListener('abort', abort, { once: true });
  let left = LOGS_LIMIT;
  try {
    for await (const entry of entries) {
      const name = /^verifier\/([a-z]+\.(?:json|txt))$/.exec(entry.header.name)?.[1];
      left -= entry.header.size ?? 0;
      if (left < 0) {
        found.clear();
        break;
      }
      if (name === undefined || entry.header.type !== 'file') {
        entry.resume();
        if (!entry.destroyed && (entry.header.size ?? 0) > 0) await once(entry, 'end');
        continue;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      found.set(name, Buffer.concat(chunks).toString('utf8'));
    }
  } finally {
    abortSignal.removeEventListener('abort', abort);
    (stream as NodeJS.ReadableStream & { destroy?: () => void }).destroy?.();
  }
  return {
    rewardJson: found.get('reward.json') ?? null,
    rewardTxt: found.get('reward.txt') ?? null,
    ctrf: found.get('ctrf.json') ?? null,
  };
}
