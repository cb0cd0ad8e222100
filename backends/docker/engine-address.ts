import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { BenchError } from '../../domain/errors.js';

export type EngineBackend = 'docker' | 'podman';

export interface EngineAddress {
  backend: EngineBackend;
  /** As in DOCKER_HOST: unix:///path or tcp://host:port. */
  url: string;
  socketPath: string | null;
  /** False: the engine cannot mount our directories (another machine, or a forwarded socket). */
  sharesFiles: boolean;
  connection: Docker.DockerOptions;
  /** The variable has a value. */
  named: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

export const ENGINE_VARIABLES = { docker: 'DOCKER_HOST', podman: 'BENCH_PODMAN_HOST' } as const;
const DEFAULT_PORTS = { http: '2375', https: '2376' };

/** From DOCKER_HOST or BENCH_PODMAN_HOST and related variables. Throws BenchError (usage). */
export function engineAddress(backend: EngineBackend, env: Env): EngineAddress {
  const variable = ENGINE_VARIABLES[backend];
  const said = env[variable];
  const named = said !== undefined && said !== '';
  const host = named ? said : defaultSocket(backend, env);
  if (host.startsWith('/') || host.startsWith('unix://')) {
    const socketPath = host.replace(/^unix:\/\//, '');
    return {
      backend,
      url: `unix://${socketPath}`,
      socketPath,
      sharesFiles: !isSet(env['BENCH_ENGINE_REMOTE']),
      connection: { socketPath },
      named,
    };
  }
  if (host.startsWith('ssh://'))
    throw new BenchError('usage', `${variable}=${host}: engines are not reached over ssh directly.`, {
      code: 'setting.invalid',
      remedy:
        `Forward its socket and use the forwarded one: ssh -nNT -L /tmp/engine.sock:${defaultSocket(backend, {})} ` +
        `${host.slice('ssh://'.length)} & ${variable}=unix:///tmp/engine.sock BENCH_ENGINE_REMOTE=1`,
    });
  return { backend, socketPath: null, sharesFiles: false, named, ...overNetwork(variable, host, env) };
}

function defaultSocket(backend: EngineBackend, env: Env): string {
  if (backend === 'docker') return 'unix:///var/run/docker.sock';
  const own = env['XDG_RUNTIME_DIR'];
  const rootless = process.getuid?.() !== 0 && own !== undefined && own !== '';
  return rootless ? `unix://${own}/podman/podman.sock` : 'unix:///run/podman/podman.sock';
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';

function overNetwork(variable: string, host: string, env: Env): Pick<EngineAddress, 'url' | 'connection'> {
  let url: URL;
  try {
    // URL parses host and port only of schemes that it knows.
    url = new URL(host.replace(/^tcp:/, 'http:'));
  } catch {
    throw new BenchError('usage', `${variable}=${host} is not the address of an engine.`, {
      code: 'setting.invalid',
      remedy: 'It is unix:///path/of/a/socket or tcp://host:port.',
    });
  }
  if (
    !['http:', 'https:'].includes(url.protocol) ||
    url.hostname === '' ||
    (url.pathname !== '/' && url.pathname !== '')
  )
    throw new BenchError('usage', `${variable}=${host} is not the address of an engine.`, {
      code: 'setting.invalid',
      remedy: 'It is unix:///path/of/a/socket or tcp://host:port.',
    });
  const protocol = isSet(env['DOCKER_TLS_VERIFY']) || url.protocol === 'https:' ? 'https' : 'http';
  // URL omits a scheme's default port.
  const port = url.port !== '' ? url.port : (/:(\d+)\/?$/.exec(host)?.[1] ?? DEFAULT_PORTS[protocol]);
  return {
    url: `tcp://${url.hostname}:${port}`,
    connection: {
      protocol,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port,
      ...(protocol === 'https' && certificates(env)),
    },
  };
}

function certificates(env: Env): Pick<Docker.DockerOptions, 'ca' | 'cert' | 'key'> {
  const dir = env['DOCKER_CERT_PATH'] ?? join(env['HOME'] ?? homedir(), '.docker');
  const read = (name: string): Buffer => {
    try {
      return readFileSync(join(dir, name));
    } catch (error) {
      throw new BenchError('usage', `DOCKER_TLS_VERIFY is set, but ${join(dir, name)} cannot be read.`, {
        code: 'setting.invalid',
        remedy: 'Set DOCKER_CERT_PATH to the directory that contains ca.pem, cert.pem and key.pem.',
        cause: error,
      });
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}
