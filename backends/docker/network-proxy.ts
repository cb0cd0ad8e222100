import type Docker from 'dockerode';
import { GATEWAY_PORT, PROGRAM_FOLDER } from '../../domain/agent/program.js';
import type { NetworkReport, SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { parseAllowedHost, type TaskNetwork } from '../../domain/task/network.js';
import { nameIsTaken, statusOf, unlessStatus } from './engine-errors.js';
import { networkReports } from './network-reports.js';
import { EPOCH_LABEL, HOME_LABEL, RUN_LABEL } from './labels.js';
import { containerName } from './sandbox-container.js';

/** In the agent's container, below a directory that only root may enter. */
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

/** Volume with the socket between the agent's container, which has no network, and its proxy. */
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

const GATEWAY_INSIDE = '/run/bench/gateway';

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/**
 * Lets programs in the agent's container reach the proxy and the gateway at ordinary addresses.
 * `gateway`: host folder with the gateway's socket. Null: neither is needed.
 */
export function relayOptions(homeTag: string, spec: SandboxSpec, gateway: string | null) {
  const named = allowsNamedHosts(spec.network);
  if (!named && gateway === null) return null;
  const proxy = `http://127.0.0.1:${PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  const relay = (port: number, socket: string, mode = ''): string =>
    `while :; do /opt/bench/python3 -IS /opt/bench/network/relay.py ${port} ${socket} ${mode}; sleep 1; done >/dev/null 2>&1 &`;
  const relays = [
    ...(named ? [relay(PORT, `${SOCKET_INSIDE}/proxy.sock`)] : []),
    ...(gateway === null ? [] : [relay(GATEWAY_PORT, `${GATEWAY_INSIDE}/sock`, 'repeat')]),
  ];
  const folder = spec.program?.folder ?? null;
  const bind = (source: string, target: string, readOnly: boolean): Docker.MountSettings => ({
    ...{ Type: 'bind' as const, Source: source, Target: target, ReadOnly: readOnly },
  });
  return {
    Env: named
      ? [
          ...PROXY_VARIABLES.map((name) => `${name}=${proxy}`),
          ...['NO_PROXY', 'no_proxy'].map((name) => `${name}=${local}`),
        ]
      : [],
    // The relays run as root and restart if the kernel kills them for memory.
    Entrypoint: [
      '/bin/sh',
      '-c',
      `${relays.join(' ')} exec /opt/bench/python3 -Es /opt/bench/sandbox_main.py "$@"`,
      'bench',
    ],
    mounts: [
      ...(named ? [socketMount(homeTag, spec)] : []),
      ...(gateway === null ? [] : [bind(gateway, GATEWAY_INSIDE, true)]),
      ...(folder === null ? [] : [bind(folder, PROGRAM_FOLDER, true)]),
    ],
  };
}

/** Creates or adopts (run, epoch)'s proxy, and starts it. `image`: an agent's, without packages. */
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
        // Podman's bridge needs plugins. The proxy listens on no address and refuses the host's.
        NetworkMode: at.podman ? 'host' : 'bridge',
        ExtraHosts: [...at.extraHosts],
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        Memory: 256 * 1024 * 1024,
        PidsLimit: 64,
        Mounts: [socketMount(homeTag, spec)],
        // Never rotated, since events are numbered by its lines. The proxy limits their number.
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

export async function wakeProxy({ docker, homeTag }: ProxyPlace, ref: SandboxRef): Promise<void> {
  try {
    await docker.getContainer(proxyName(homeTag, ref)).start();
  } catch (error) {
    if (statusOf(error) !== 304 && statusOf(error) !== 404) throw error;
  }
}

/** Reports so far; empty without a proxy. `close`: stops it, so that it reports open requests. */
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

/** Removes proxy and volume; call it after the agent's container is removed. Idempotent. */
export async function removeProxy(
  { docker, homeTag }: ProxyPlace,
  ref: SandboxRef,
  removeContainer: (container: Docker.Container) => Promise<void>,
): Promise<void> {
  const name = proxyName(homeTag, ref);
  await removeContainer(docker.getContainer(name));
  await docker.getVolume(name).remove().catch(unlessStatus(404));
}
