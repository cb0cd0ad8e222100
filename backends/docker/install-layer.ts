import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { LayerRequirements } from '../../domain/task/requirements.js';
import { isPodman, PODMAN_ULIMITS } from './engine.js';
import { waitForExit } from './container-life.js';
import { nameIsTaken, statusOf, unlessStatus } from './engine-errors.js';
import { localImage } from './base-image.js';
import { LAYER_LABEL, LAYER_NAME } from './labels.js';
import type { PackageSources } from './package-sources.js';
import { tarBytes, type TarEntry } from './tar-bytes.js';
import { quotedWord } from '../../domain/text/shell-word.js';

/** In a volume, so that none of it ends up in the image. */
const INSIDE = '/bench-layer';
/** The script's exit code when there is no pip. */
const NO_PIP = 86;
const KEPT_LINES = 12;
const KEPT_CHARACTERS = 300;
const MOST_LINES = 2000;
const NAME_ATTEMPTS = 200;

export class InstallFailed extends Error {
  override name = 'InstallFailed';
  readonly lastLines: string;
  /** The package index was unreachable: a retry may help. */
  readonly unreachable: boolean;
  readonly withoutPip: boolean;
  /** The Python that all releases need, as `>=3.12`, if the image's is another; else null. */
  readonly otherPython: string | null;
  constructor(lines: readonly string[], withoutPip: boolean) {
    const lastLines = lines
      .slice(-KEPT_LINES)
      .map((line) => line.slice(0, KEPT_CHARACTERS))
      .join('\n');
    super(lastLines);
    this.lastLines = lastLines;
    this.withoutPip = withoutPip;
    this.otherPython = lines.map((line) => OTHER_PYTHON.exec(line)?.[1]).find((needed) => needed !== undefined) ?? null;
    this.unreachable = lines.some((line) => UNREACHABLE.test(line));
  }
}

export const UNREACHABLE =
  /NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ConnectionResetError|ProxyError|NameResolutionError|Temporary failure (?:in name resolution|resolving)|Could not (?:connect|resolve)|Connection (?:refused|timed out|failed)|Network is unreachable|50[0-4] (?:Server|Internal|Bad|Service|Gateway)/;

/** pip lists each release with what it needs, the last one last. */
const OTHER_PYTHON = /require a different python version: .*Requires-Python ([^\s;]+)/i;

const NEVER = new AbortController().signal;

export interface LayerOrder {
  kind: string;
  plain: { ref: string };
  layer: LayerRequirements;
  files: LayerFile[];
  /** Shell lines, run in the folder of the files, instead of installing packages. */
  script?: string;
  hash: string;
  ref: string;
  sources: PackageSources;
  onProgress: (line: string) => void;
  signal: AbortSignal | undefined;
}

/**
 * Installs in a container and commits it. A Dockerfile's history and caches would contain the
 * package mirrors' addresses, with passwords. A second process, or one after a crash, finds the
 * container by the layer's name and waits for it.
 */
export async function installLayer(docker: Docker, order: LayerOrder): Promise<void> {
  const name = `${LAYER_NAME}${order.hash}`;
  for (let attempt = 1; attempt <= NAME_ATTEMPTS; attempt++) {
    order.signal?.throwIfAborted();
    const container = await createOrFind(docker, name, order);
    try {
      await start(container, order);
      const lines = await followLog(docker, container, order);
      const exitCode = await waitForExit(container, order.signal ?? NEVER);
      if (exitCode !== 0) {
        await container.remove({ force: true, v: true }).catch(unlessGone);
        throw new InstallFailed(lines, exitCode === NO_PIP);
      }
      await keepAsImage(docker, container, order);
      await container.remove({ force: true, v: true }).catch(unlessGone);
      return;
    } catch (error) {
      if (order.signal?.aborted === true) {
        await container.remove({ force: true, v: true }).catch(unlessGone);
        throw error;
      }
      // Another process finished it first.
      if (!isGone(error)) throw error;
      if ((await localImage(docker, order.ref)) !== null) return;
      await sleep(50);
    }
  }
  throw new Error(`container ${name} keeps disappearing`);
}

const isGone = (error: unknown): boolean =>
  statusOf(error) === 404 || /marked for removal|is dead/i.test(String(error));
const unlessGone = (error: unknown): void => {
  if (!isGone(error) && statusOf(error) !== 409) throw error;
};

async function createOrFind(docker: Docker, name: string, { plain, kind }: LayerOrder): Promise<Docker.Container> {
  const podman = await isPodman(docker);
  try {
    return await docker.createContainer({
      name,
      Image: plain.ref,
      User: '0:0',
      WorkingDir: '/',
      Entrypoint: ['/bin/sh', `${INSIDE}/install.sh`],
      Cmd: [],
      Labels: { [LAYER_LABEL]: kind },
      HostConfig: {
        // As for builds: Podman's bridge needs plugins.
        NetworkMode: podman ? 'host' : 'bridge',
        // Podman may default to the journal, which some machines lack.
        ...(podman && { Ulimits: PODMAN_ULIMITS, LogConfig: { Type: 'k8s-file', Config: {} } }),
        Mounts: [
          {
            Type: 'volume',
            Target: INSIDE,
            Source: '',
            VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } },
          },
        ],
      },
    });
  } catch (error) {
    if (!nameIsTaken(error)) throw error;
    return docker.getContainer(name);
  }
}

async function start(container: Docker.Container, order: LayerOrder): Promise<void> {
  const { State: state } = await container.inspect();
  if (state.Status !== 'created' && state.Status !== 'configured') return;
  // Repeating this is harmless: the files are the same.
  await container.putArchive(await tarBytes(entries(order)), { path: INSIDE });
  await container.start().catch(unlessStatus(304));
}

function entries({ layer, files, sources, script: own }: LayerOrder): TarEntry[] {
  const environment = {
    DEBIAN_FRONTEND: 'noninteractive',
    PIP_BREAK_SYSTEM_PACKAGES: '1',
    PIP_ROOT_USER_ACTION: 'ignore',
    PIP_NO_CACHE_DIR: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_NO_INPUT: '1',
    ...sources.environment,
    ...(sources.certificates !== null && certificatesOf(`${INSIDE}/certificates.pem`, own !== undefined)),
  };
  const exports = Object.entries(environment).map(([key, value]) => `export ${key}=${quotedWord(value)}\n`);
  const script = ['set -e\n', ...exports, `cd ${INSIDE}/task\n`, own ?? packagesScript(layer)].join('');
  const folders = new Set(['task']);
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(['task', ...parts.slice(0, depth)].join('/'));
  }
  return [
    ...[...folders].map((name) => ({ name, mode: 0o755, bytes: null })),
    ...files.map(({ path, bytes, executable }) => ({
      name: `task/${path}`,
      mode: executable === true ? 0o755 : 0o644,
      bytes,
    })),
    { name: 'install.sh', mode: 0o600, bytes: Buffer.from(script) },
    ...(sources.certificates === null ? [] : [{ name: 'certificates.pem', mode: 0o644, bytes: sources.certificates }]),
  ];
}

/** Programs other than pip have their own variables. */
const certificatesOf = (path: string, everybody: boolean): Record<string, string> => ({
  PIP_CERT: path,
  ...(everybody && {
    SSL_CERT_FILE: path,
    CURL_CA_BUNDLE: path,
    REQUESTS_CA_BUNDLE: path,
    GIT_SSL_CAINFO: path,
    NODE_EXTRA_CA_CERTS: path,
  }),
});

const packagesScript = (layer: LayerRequirements): string =>
  [
    layer.file === null ? '' : `python3 -m pip --version >/dev/null 2>&1 || exit ${NO_PIP}\n`,
    `apt=${quotedWord(layer.apt.join(' '))}\n`,
    // Unquoted on purpose: words of a checked alphabet.
    'if [ -n "$apt" ]; then\n',
    '  apt-get update -q && apt-get install -y -q --no-install-recommends $apt\n',
    '  rm -rf /var/lib/apt/lists/*\n',
    'fi\n',
    layer.file === null
      ? ''
      : `python3 -m pip install ${layer.noDeps === true ? '--no-deps ' : ''}-r ${quotedWord(layer.file)}\n`,
  ].join('');

async function keepAsImage(docker: Docker, container: Docker.Container, order: LayerOrder): Promise<void> {
  const [repo, tag] = order.ref.split(':') as [string, string];
  const { Config: plain } = await docker.getImage(order.plain.ref).inspect();
  // Restore the plain image's values of settings changed for the installation.
  const changes = [
    `ENTRYPOINT ${JSON.stringify(plain.Entrypoint ?? [])}`,
    `CMD ${JSON.stringify(plain.Cmd ?? [])}`,
    `USER ${plain.User === '' ? '0:0' : plain.User}`,
    `WORKDIR ${plain.WorkingDir === '' ? '/' : plain.WorkingDir}`,
    `LABEL bench.image=task-${order.kind}`,
  ];
  await container.commit({ repo, tag, changes: changes.join('\n') });
}

async function followLog(
  docker: Docker,
  container: Docker.Container,
  { onProgress: onLine, signal }: LayerOrder,
): Promise<string[]> {
  const stream = await container.logs({ stdout: true, stderr: true, follow: true });
  const text = new PassThrough();
  docker.modem.demuxStream(stream, text, text);
  stream.once('end', () => text.end()).once('error', (error: Error) => text.destroy(error));
  signal?.addEventListener('abort', () => text.end());
  const lines: string[] = [];
  for await (const line of createInterface({ input: text })) {
    if (line.trim() === '') continue;
    onLine(line);
    lines.push(line);
    if (lines.length > MOST_LINES) lines.shift();
  }
  return lines;
}

export interface LayerFile {
  path: string;
  bytes: Buffer;
  executable?: boolean;
}
