import { access, constants } from 'node:fs/promises';
import Docker from 'dockerode';

const DEFAULT_SOCKET = '/var/run/docker.sock';
const ANSWER_WITHIN_MS = 10_000;

export type EngineProbe =
  | { kind: 'ok'; docker: Docker; socketPath: string; version: string }
  /** `reason` and `remedy` are for people. */
  | { kind: 'unavailable'; reason: string; remedy: string };

/** Socket of the engine that `dockerHost` (DOCKER_HOST's value) means, or null when it is not on this machine. */
function socketOf(dockerHost: string | undefined): string | null {
  if (dockerHost === undefined || dockerHost === '') return DEFAULT_SOCKET;
  if (dockerHost.startsWith('unix://')) return dockerHost.slice('unix://'.length);
  return dockerHost.startsWith('/') ? dockerHost : null;
}

/** A client of the engine. Does not connect; only an engine behind a unix socket will do, see probeEngine. */
export function connectEngine(dockerHost?: string): Docker {
  return new Docker({ socketPath: socketOf(dockerHost) ?? DEFAULT_SOCKET });
}

/** Does an engine answer that can hold our sandboxes? If not: why, and what to do. Never throws. */
export async function probeEngine(dockerHost?: string): Promise<EngineProbe> {
  const socketPath = socketOf(dockerHost);
  if (socketPath === null)
    return {
      kind: 'unavailable',
      reason: `DOCKER_HOST=${dockerHost} is a remote engine, and sandboxes share a directory with the worker, which must be on the engine's machine`,
      remedy: `start a worker on that machine (bench worker), or unset DOCKER_HOST to use the engine at ${DEFAULT_SOCKET}`,
    };
  const problem = await socketProblem(socketPath);
  if (problem !== null) return { kind: 'unavailable', ...problem };
  const docker = connectEngine(socketPath);
  try {
    const { Version: version, Os: os } = await withinTime(docker.version(), socketPath);
    if (os !== 'linux')
      return {
        kind: 'unavailable',
        reason: `the engine at ${socketPath} runs ${os} containers`,
        remedy: 'switch it to Linux containers',
      };
    return { kind: 'ok', docker, socketPath, version };
  } catch (error) {
    return {
      kind: 'unavailable',
      reason: `the engine at ${socketPath} does not answer: ${(error as Error).message}`,
      remedy: 'start it (systemctl start docker, or as root: dockerd)',
    };
  }
}

async function socketProblem(socketPath: string): Promise<{ reason: string; remedy: string } | null> {
  try {
    await access(socketPath, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      return {
        reason: `no permission on the engine's socket ${socketPath}`,
        remedy: 'add yourself to its group (usermod -aG docker <user>, then log in again), or run as root',
      };
    return {
      reason: `there is no container engine: ${socketPath} does not exist`,
      remedy: 'install one (on Debian: apt-get install docker.io) and start it, or point DOCKER_HOST at its socket',
    };
  }
}

async function withinTime<T>(work: Promise<T>, socketPath: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer from ${socketPath} within ${ANSWER_WITHIN_MS / 1000} s`)),
      ANSWER_WITHIN_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
