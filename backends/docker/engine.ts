import { access, constants } from 'node:fs/promises';
import Docker from 'dockerode';
import { boundCalls } from './bounded-calls.js';
import { ENGINE_VARIABLES, engineAddress, type EngineAddress } from './engine-address.js';

const ANSWER_WITHIN_MS = 30_000;

export type EngineProbe =
  | { kind: 'ok'; docker: Docker; address: EngineAddress; version: string }
  /** `reason` and `remedy` are for people. */
  | { kind: 'unavailable'; reason: string; remedy: string };

/** Rootless podman is a user service. */
const OWN = process.getuid?.() === 0 ? '' : '--user ';

const GET = {
  docker: {
    install: 'install one (on Debian: apt-get install docker.io) and start it, or point DOCKER_HOST at its socket',
    start: 'start it (systemctl start docker, or as root: dockerd)',
    permission: 'join its group (usermod -aG docker <user>, then log in again), or run as root',
  },
  podman: {
    install:
      `install podman (on Debian: apt-get install podman) and start its service (systemctl ${OWN}start podman.socket; ` +
      'without systemd: podman system service --time=0 <that socket>), or point BENCH_PODMAN_HOST at its socket',
    start: 'start its service: podman system service --time=0 <that socket>',
    permission: 'run as root, or start a service of your own (systemctl --user start podman.socket)',
  },
};

export function connectEngine(address: EngineAddress): Docker {
  return boundCalls(new Docker(address.connection));
}

/** Checks for an engine that can run sandboxes; else says what to do. Never throws. */
export async function probeEngine(address: EngineAddress = engineAddress('docker', {})): Promise<EngineProbe> {
  const { url, socketPath, backend, named } = address;
  // A variable that names another place is the likelier mistake.
  const correct = named ? `correct ${ENGINE_VARIABLES[backend]}, or unset it; or ` : '';
  if (socketPath !== null) {
    const problem = await socketProblem(socketPath, address);
    if (problem !== null) return { kind: 'unavailable', ...problem };
  }
  const docker = connectEngine(address);
  try {
    const { Version: version, Os: os } = await withinTime(docker.version(), url);
    if (os !== 'linux')
      return {
        kind: 'unavailable',
        reason: `the engine at ${url} runs ${os} containers`,
        remedy: 'switch it to Linux containers',
      };
    return { kind: 'ok', docker, address, version };
  } catch (error) {
    return {
      kind: 'unavailable',
      reason: `the engine at ${url} does not answer: ${(error as Error).message}`,
      remedy: `${correct}${GET[backend].start}`,
    };
  }
}

/** Podman's defaults may exceed what its service may set. PidsLimit is what counts. */
export const PODMAN_PROCESSES = { Name: 'nproc', Soft: 16_384, Hard: 16_384 };
export const PODMAN_ULIMITS = [{ Name: 'nofile', Soft: 8192, Hard: 8192 }, PODMAN_PROCESSES];

/** By the engine's answer: a Docker variable may name Podman. */
export async function isPodman(docker: Docker): Promise<boolean> {
  const { Components: parts } = (await docker.version()) as { Components?: { Name: string }[] };
  return parts?.some((part) => part.Name === 'Podman Engine') ?? false;
}

async function socketProblem(
  socketPath: string,
  { backend, named }: Pick<EngineAddress, 'backend' | 'named'>,
): Promise<{ reason: string; remedy: string } | null> {
  try {
    await access(socketPath, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      return { reason: `no permission on the engine's socket ${socketPath}`, remedy: GET[backend].permission };
    if (named)
      return {
        reason: `${ENGINE_VARIABLES[backend]} names ${socketPath}, which does not exist`,
        remedy: `correct ${ENGINE_VARIABLES[backend]}, or unset it: the usual socket is then tried`,
      };
    return {
      reason: `there is no ${backend === 'podman' ? 'podman service' : 'container engine'}: ${socketPath} does not exist`,
      remedy: GET[backend].install,
    };
  }
}

async function withinTime<T>(work: Promise<T>, url: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer from ${url} within ${ANSWER_WITHIN_MS / 1000} s`)),
      ANSWER_WITHIN_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
