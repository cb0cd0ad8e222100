import type Docker from 'dockerode';
import type { NetworkReport, SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { parseAllowedHost, type TaskNetwork } from '../../domain/task-network.js';
import { nameIsTaken, statusOf, unlessStatus } from './engine-errors.js';
import { networkReports } from './network-reports.js';
import { EPOCH_LABEL, HOME_LABEL, RUN_LABEL } from './labels.js';
import { containerName } from './sandbox-container.js';

/** In the agent's container below a directory that only root may enter. */
const SOCKET_INSIDE = '/run/bench/network';
const PORT = 3128;
const STOP_SECONDS = 10;

export interface ProxyPlace {
  docker: Docker;
  homeTag: string;
}

const proxyName = (homeTag: string, ref: SandboxRef): string => `${containerName(homeTag, ref)}-net`;

export const allowsNamedHosts = (network: TaskNetwork): network is Exclude<TaskNetwork, string> =>
  typeof network !== 'string';

/** Shared by the agent's container, which has no network at all, and its proxy's: the way between them is a socket in it. */
const socketMount = (homeTag: string, ref: SandboxRef): Docker.MountSettings => ({
  Type: 'volume',
  Source: proxyName(homeTag, ref),
  Target: SOCKET_INSIDE,
  VolumeOptions: { NoCopy: true, Labels: labels(homeTag, ref), DriverConfig: { Name: 'local', Options: {} } },
});

const labels = (homeTag: string, { runId, epoch }: SandboxRef) => ({
  [HOME_LABEL]: homeTag,
  [RUN_LABEL]: runId,
  [EPOCH_LABEL]: String(epoch),
});

/** What the agent's container has in addition, to reach its proxy at an address that programs understand. */
export function relayOptions(homeTag: string, spec: SandboxSpec) {
  const proxy = `http://127.0.0.1:${PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  const relay = `/opt/bench/python3 -IS /opt/bench/network/relay.py ${PORT} ${SOCKET_INSIDE}/proxy.sock`;
  return {
    Env: [
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => `${name}=${proxy}`),
      ...['NO_PROXY', 'no_proxy'].map((name) => `${name}=${local}`),
    ],
    // The relay is root's, and comes back should the kernel end it for want of memory.
    Entrypoint: [
      '/bin/sh',
      '-c',
      `while :; do ${relay}; sleep 1; done >/dev/null 2>&1 & exec /opt/bench/python3 -Es /opt/bench/sandbox_main.py "$@"`,
      'bench',
    ],
    mount: socketMount(homeTag, spec),
  };
}

/** Create the proxy of (run, epoch) or adopt it, and have it run. `image`: an agent's image without a task's packages. */
export async function ensureProxy(
  { docker, homeTag }: ProxyPlace,
  spec: SandboxSpec & { network: Exclude<TaskNetwork, string> },
  at: { imageRef: string; podman: boolean; extraHosts: readonly string[] },
): Promise<void> {
  const { allow, allowPrivate } = spec.network;
  const policy = { allow: allow.map(parseAllowedHost).filter((host) => typeof host !== 'string'), allowPrivate };
  try {
    await docker.createContainer({
      name: proxyName(homeTag, spec),
      Image: at.imageRef,
      User: '0:0',
      WorkingDir: '/',
      Entrypoint: ['/opt/bench/python3', '-IS', '/opt/bench/network/proxy.py'],
      Cmd: [`${SOCKET_INSIDE}/proxy.sock`, JSON.stringify(policy)],
      Labels: labels(homeTag, spec),
      StopSignal: 'SIGTERM',
      HostConfig: {
        // Podman's bridge wants plugins of its own. The proxy listens on no address, and connects to none of the host.
        NetworkMode: at.podman ? 'host' : 'bridge',
        ExtraHosts: [...at.extraHosts],
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        Memory: 256 * 1024 * 1024,
        PidsLimit: 64,
        Mounts: [socketMount(homeTag, spec)],
        // Never rotated: events are numbered by its lines. The proxy bounds them.
        LogConfig: { Type: at.podman ? 'k8s-file' : 'json-file', Config: {} },
        ...(at.podman && {
          Ulimits: [
            { Name: 'nofile', Soft: 1024, Hard: 1024 },
            { Name: 'nproc', Soft: 16_384, Hard: 16_384 },
          ],
        }),
      },
    });
  } catch (error) {
    if (!nameIsTaken(error)) throw error;
  }
  await wakeProxy({ docker, homeTag }, spec);
}

/** Start the proxy again if the sandbox has one and it does not run. */
export async function wakeProxy({ docker, homeTag }: ProxyPlace, ref: SandboxRef): Promise<void> {
  try {
    await docker.getContainer(proxyName(homeTag, ref)).start();
  } catch (error) {
    if (statusOf(error) !== 304 && statusOf(error) !== 404) throw error;
  }
}

/** The proxy's record so far; none without a proxy. `close`: stop it first, so that it tells of what is under way. */
export async function proxyReports(
  { docker, homeTag }: ProxyPlace,
  ref: SandboxRef,
  { close }: { close: boolean },
): Promise<NetworkReport[]> {
  const proxy = docker.getContainer(proxyName(homeTag, ref));
  try {
    if (close) await proxy.stop({ t: STOP_SECONDS }).catch(unlessStatus(304));
    return networkReports(await proxy.logs({ stdout: true, stderr: false, follow: false }));
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}

/** Remove proxy and volume, after the agent's container. Idempotent. */
export async function removeProxy(
  { docker, homeTag }: ProxyPlace,
  ref: SandboxRef,
  removeContainer: (container: Docker.Container) => Promise<void>,
): Promise<void> {
  const name = proxyName(homeTag, ref);
  await removeContainer(docker.getContainer(name));
  await docker.getVolume(name).remove().catch(unlessStatus(404));
}
