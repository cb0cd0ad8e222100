import { execFile, spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { BenchError } from '../domain/errors.js';
import { type FileLock, lock } from './file-lock.js';
import { openUrl } from '../transport/open-url.js';
import { makeFolder } from './make-folder.js';

/** The newest that `go install` can build: later ones have a `replace` in their go.mod. */
const TEMPORAL_CLI_VERSION = '1.5.1';
const GO_MODULE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;

export interface FoundTemporal {
  path: string;
  source: 'PATH' | 'cache' | 'download' | 'go';
  version: string;
}

export interface FindTemporalOptions {
  env: Readonly<Record<string, string>>;
  cacheDir: string;
  onProgress?: (line: string) => void;
  /** Names what is waited for; the caller shows it. */
  onWait?: (what: string) => void;
  /** False: do not download or build. */
  obtain?: boolean;
}

/** From PATH, the user's cache, a download, or a build with Go. Safe to run concurrently. */
export async function findTemporal(options: FindTemporalOptions): Promise<FoundTemporal> {
  const present = await findPresent(options);
  if (present) return present;
  if (options.obtain === false) throw notFound([]);

  const bin = join(options.cacheDir, 'bin');
  try {
    makeFolder(bin);
  } catch (error) {
    throw new BenchError('services', `cannot create the cache directory ${bin}: ${reasonOf(error)}`, {
      code: 'file.unwritable',
      remedy: 'set XDG_CACHE_HOME to a directory that you may write, or put `temporal` on PATH',
      cause: error,
    });
  }
  const held = await lockPatiently(join(bin, '.temporal.lock'), options);
  try {
    const since = await findPresent(options);
    if (since) return since;
    const failures: string[] = [];
    for (const [source, obtain] of [
      ['download', download],
      ['go', buildWithGo],
    ] as const) {
      const scratch = mkdtempSync(join(bin, '.temporal-'));
      try {
        const binary = await obtain(scratch, options);
        const version = await versionOf(binary, options.env);
        if (version === null) throw new Error('the program does not answer `temporal --version`');
        const path = cachedPath(options);
        renameSync(binary, path);
        options.onProgress?.(`Temporal is ready: ${path}`);
        return { path, source, version };
      } catch (error) {
        const failure = `${source}: ${reasonOf(error)}`;
        failures.push(failure);
        options.onProgress?.(`no Temporal by ${failure}`);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    }
    throw notFound(failures);
  } finally {
    held.release();
  }
}

const lockPatiently = (path: string, { onProgress, onWait }: FindTemporalOptions): Promise<FileLock> =>
  lock(path, {
    timeoutMs: 30 * 60_000,
    onWait: () => {
      const what = 'another process that installs Temporal';
      onProgress?.(`waiting for ${what}: where Go builds it, 2 to 5 minutes on two cores`);
      onWait?.(what);
    },
  });

const cachedPath = (options: FindTemporalOptions) => join(options.cacheDir, 'bin', 'temporal');

async function findPresent(options: FindTemporalOptions): Promise<FoundTemporal | null> {
  const onPath = findOnPath('temporal', options.env);
  const candidates = [
    ...(onPath === null ? [] : [{ path: onPath, source: 'PATH' as const }]),
    { path: cachedPath(options), source: 'cache' as const },
  ];
  for (const { path, source } of candidates) {
    if (!isExecutable(path)) continue;
    const version = await versionOf(path, options.env);
    if (version !== null) return { path, source, version };
    options.onProgress?.(`${path} is not a working Temporal CLI; skipped`);
  }
  return null;
}

export function findOnPath(program: string, env: Readonly<Record<string, string>>): string | null {
  for (const directory of (env['PATH'] ?? '').split(delimiter)) {
    if (directory !== '' && isExecutable(join(directory, program))) return join(directory, program);
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(path: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(path, ['--version'], { env, timeout: 20_000 }, (error, stdout) => {
      const line = stdout.split('\n')[0]?.trim() ?? '';
      resolve(error === null && line.startsWith('temporal version') ? line : null);
    });
  });
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The project's release archive. Offline, this fails within seconds. */
async function download(scratch: string, options: FindTemporalOptions): Promise<string> {
  const arch = ARCHITECTURES[process.arch];
  if (arch === undefined || !['linux', 'darwin'].includes(process.platform)) {
    throw new Error(`no release for ${process.platform}/${process.arch}`);
  }
  const archive = `temporal_cli_${TEMPORAL_CLI_VERSION}_${process.platform}_${arch}.tar.gz`;
  const url = `https://github.com/temporalio/cli/releases/download/v${TEMPORAL_CLI_VERSION}/${archive}`;
  options.onProgress?.(`Temporal is neither on PATH nor in the cache; downloading ${url} …`);
  options.onWait?.('the download of Temporal');
  const give = new AbortController();
  const connecting = setTimeout(() => give.abort(new Error('no answer within 8 s')), 8000);
  let response: IncomingMessage;
  try {
    response = await openUrl(url, { signal: give.signal });
  } finally {
    clearTimeout(connecting);
  }
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`HTTP status ${response.statusCode}`);
  }
  const transfer = setTimeout(() => give.abort(new Error('not complete within 10 minutes')), 600_000);
  const binary = join(scratch, 'temporal');
  const unpack = extract();
  let found = false;
  unpack.on('entry', (header, stream, next) => {
    if (header.name !== 'temporal' || header.type !== 'file') {
      stream.on('end', next);
      stream.resume();
      return;
    }
    found = true;
    pipeline(stream, createWriteStream(binary, { mode: 0o755 })).then(
      () => next(),
      (error: unknown) => next(error instanceof Error ? error : new Error(String(error))),
    );
  });
  try {
    await pipeline(response, createGunzip(), unpack, { signal: give.signal });
  } finally {
    clearTimeout(transfer);
  }
  if (!found) throw new Error(`no file 'temporal' in ${archive}`);
  chmodSync(binary, 0o755);
  return binary;
}

async function buildWithGo(scratch: string, options: FindTemporalOptions): Promise<string> {
  const go = findOnPath('go', options.env);
  if (go === null) throw new Error('no Go toolchain on PATH');
  const started = performance.now();
  const elapsed = () => `${Math.round((performance.now() - started) / 1000)} s`;
  options.onProgress?.(
    `building Temporal with Go: go install ${GO_MODULE} (3 to 10 minutes on two cores, once per user)`,
  );
  const child = spawn(go, ['install', '-ldflags=-s -w', GO_MODULE], {
    cwd: scratch,
    env: { ...options.env, GOBIN: scratch, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const tail: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    tail.push(...text.split('\n').filter((line) => line.trim() !== ''));
    tail.splice(0, Math.max(0, tail.length - 5));
    options.onWait?.(`Go, which builds Temporal (${tail.at(-1) ?? ''})`);
  });
  options.onWait?.('Go, which builds Temporal');
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signalName) => resolve(exitCode ?? signalName ?? 'unknown'));
  });
  if (code !== 0) throw new Error(`go install ended with ${code} after ${elapsed()}: ${tail.join(' | ')}`);
  options.onProgress?.(`built Temporal with Go in ${elapsed()}`);
  return join(scratch, 'temporal');
}

function notFound(failures: readonly string[]): BenchError {
  const tried = failures.length === 0 ? '' : ` (${failures.join('; ')})`;
  return new BenchError('services', `no Temporal server program: not on PATH, not in the cache${tried}`, {
    code: 'services.start_failed',
    remedy:
      'install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or Go 1.25 or later so that ' +
      'it can be built, or set TEMPORAL_ADDRESS to a server that runs elsewhere',
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`;
}
