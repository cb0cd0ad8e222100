import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { execa } from 'execa';
import { BenchError } from '../../domain/errors.js';
import { followEngine } from './follow-engine.js';

const DEFAULT_BASE = 'python:3.11-slim';
/** Tag of a base chosen with `bench images build`; later images are built on it. */
const CHOSEN_BASE = 'bench-base:chosen';
/** Made locally with debootstrap when no registry answers. */
export const DEBOOTSTRAP_BASE = 'bench-base:bookworm';

/** In order of preference. */
export const KNOWN_BASES: readonly string[] = [CHOSEN_BASE, DEFAULT_BASE, DEBOOTSTRAP_BASE];

export interface BaseImage {
  ref: string;
  id: string;
}

type Progress = (line: string) => void;

export interface BaseSources {
  onProgress: Progress;
  cacheDir?: string | undefined;
  donor?: Docker | undefined;
  signal?: AbortSignal | undefined;
  /** Tag of the chosen base; CHOSEN_BASE except in tests. */
  chosen?: string | undefined;
}

/**
 * The first that exists: the given base, KNOWN_BASES here, those of the donor engine, the cache's
 * debootstrap base, a pulled `python:3.11-slim`, a new debootstrap base (root on Debian). Else an
 * error.
 */
export async function resolveBaseImage(
  docker: Docker,
  wanted: string | undefined,
  { onProgress, cacheDir, donor, signal, chosen = CHOSEN_BASE }: BaseSources,
): Promise<BaseImage> {
  if (wanted !== undefined) {
    const found =
      (await localImage(docker, wanted)) ??
      (await given(docker, donor, [wanted], onProgress)) ??
      (await pull(docker, wanted, onProgress, signal));
    if (found instanceof Error)
      throw new BenchError(
        'failed',
        `base image ${wanted} does not exist locally and cannot be pulled: ${found.message}`,
        {
          code: 'image.build_failed',
          remedy: 'load it (docker load, docker import) or choose one of `docker images`',
          fields: { base: true },
          cause: found,
        },
      );
    return found;
  }
  const known = KNOWN_BASES.map((ref) => (ref === CHOSEN_BASE ? chosen : ref));
  for (const ref of known) {
    const here = await localImage(docker, ref);
    if (here !== null) return here;
  }
  const had = (await given(docker, donor, known, onProgress)) ?? (await cached(docker, cacheDir, onProgress));
  if (had !== null) return had;
  const pulled = await pull(docker, DEFAULT_BASE, onProgress, signal);
  if (!(pulled instanceof Error)) return pulled;
  onProgress(`cannot pull ${DEFAULT_BASE}: ${pulled.message}`);
  const built = await debootstrapBase(docker, cacheDir, onProgress, signal);
  signal?.throwIfAborted();
  if (built instanceof Error)
    throw new BenchError('failed', `no base image: ${DEFAULT_BASE} cannot be pulled, and ${built.message}`, {
      code: 'image.build_failed',
      remedy:
        'pass any Debian-like image, or one with Python ≥ 3.9, to `bench images build` as the base; ' +
        'or run once as root on Debian, so that debootstrap can build one; or use the local backend',
      fields: { base: '<image>', backend: 'local' },
      cause: pulled,
    });
  return built;
}

export async function chooseBase(docker: Docker, ref: string, chosen = CHOSEN_BASE): Promise<void> {
  const [repo = '', tag = ''] = chosen.split(':');
  await docker.getImage(ref).tag({ repo, tag });
}

export async function localImage(docker: Docker, ref: string): Promise<BaseImage | null> {
  try {
    return { ref, id: (await docker.getImage(ref).inspect()).Id };
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null;
    throw error;
  }
}

/** Copies the first of these images that the donor has; null: it has none, or cannot export. */
export async function given(
  docker: Docker,
  donor: Docker | undefined,
  refs: readonly string[],
  onProgress: Progress,
): Promise<BaseImage | null> {
  if (donor === undefined) return null;
  for (const ref of refs) {
    try {
      if ((await localImage(donor, ref)) === null) continue;
      onProgress(`copying ${ref} from the other engine on this machine`);
      const answer = await docker.loadImage(await donor.getImage(ref).get());
      await followEngine(docker, answer, () => undefined);
      return await localImage(docker, ref);
    } catch (error) {
      onProgress(`that engine exported no image: ${(error as Error).message}`);
      return null;
    }
  }
  return null;
}

const cacheFile = (cacheDir: string): string => join(cacheDir, 'images', `${DEBOOTSTRAP_BASE.replace(':', '-')}.tar`);

async function cached(docker: Docker, cacheDir: string | undefined, onProgress: Progress): Promise<BaseImage | null> {
  if (cacheDir === undefined || !existsSync(cacheFile(cacheDir))) return null;
  onProgress(`importing ${DEBOOTSTRAP_BASE} from ${cacheFile(cacheDir)}`);
  return await importBase(docker, createReadStream(cacheFile(cacheDir)));
}

async function importBase(docker: Docker, tar: NodeJS.ReadableStream): Promise<BaseImage | null> {
  const [repo, tag] = DEBOOTSTRAP_BASE.split(':') as [string, string];
  let id = '';
  await followEngine(docker, await docker.importImage(tar, { repo, tag }), (line) => (id = line));
  // Podman 4 ignores the tag.
  if ((await localImage(docker, DEBOOTSTRAP_BASE)) === null) await docker.getImage(id).tag({ repo, tag });
  return await localImage(docker, DEBOOTSTRAP_BASE);
}

async function pull(
  docker: Docker,
  ref: string,
  onProgress: Progress,
  signal: AbortSignal | undefined,
): Promise<BaseImage | Error> {
  onProgress(`pulling ${ref}`);
  try {
    const answer = await docker.pull(ref, { ...(signal !== undefined && { abortSignal: signal }) });
    await followEngine(docker, answer, onProgress, signal);
    return (await localImage(docker, ref)) ?? new Error('the engine pulled it but does not list it');
  } catch (error) {
    signal?.throwIfAborted();
    return error as Error;
  }
}

/** A minimal Debian with Python from a package mirror, where no image registry is reachable. */
async function debootstrapBase(
  docker: Docker,
  cacheDir: string | undefined,
  onProgress: Progress,
  signal: AbortSignal | undefined,
): Promise<BaseImage | Error> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return new Error('debootstrap needs root on Linux');
  const tool = await debootstrapProgram(onProgress);
  if (tool instanceof Error) return tool;
  // Not in /tmp: debootstrap refuses file systems mounted nodev.
  const dir = await mkdtemp('/var/tmp/bench-debootstrap-');
  try {
    const root = join(dir, 'root');
    onProgress(
      `building ${DEBOOTSTRAP_BASE} with debootstrap (a minimal Debian with Python; takes a few minutes, once)`,
    );
    const making = execa(tool, ['--variant=minbase', '--include=python3', 'bookworm', root], {
      stdin: 'ignore',
      all: true,
      ...(signal !== undefined && { cancelSignal: signal }),
    });
    for await (const line of making.iterable({ from: 'all' })) onProgress(line);
    await making;
    // Another process may have made it since.
    const meanwhile = await localImage(docker, DEBOOTSTRAP_BASE);
    if (meanwhile !== null) return meanwhile;
    onProgress(`importing ${DEBOOTSTRAP_BASE}`);
    const skip = ['./var/cache/apt/archives/*.deb', './var/cache/apt/*.bin', './var/lib/apt/lists/*', './dev/*'];
    const aside = join(dir, 'base.tar');
    await execa('tar', ['-C', root, '--numeric-owner', ...skip.map((path) => `--exclude=${path}`), '-cf', aside, '.'], {
      stdin: 'ignore',
    });
    if (cacheDir !== undefined) await keep(aside, cacheFile(cacheDir), onProgress);
    return (
      (await importBase(docker, createReadStream(aside))) ?? new Error(`the engine imported no ${DEBOOTSTRAP_BASE}`)
    );
  } catch (error) {
    const cause = error as Error & { shortMessage?: string };
    return new Error(`debootstrap failed: ${cause.shortMessage ?? cause.message}`, { cause });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function keep(tar: string, file: string, onProgress: Progress): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await copyFile(tar, aside);
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    onProgress(`not cached as ${file}: ${(error as Error).message}`);
  }
}

async function debootstrapProgram(onProgress: Progress): Promise<string | Error> {
  const path = '/usr/sbin/debootstrap';
  if (existsSync(path)) return path;
  if (!existsSync('/usr/bin/apt-get')) return new Error('debootstrap is not installed');
  onProgress('installing debootstrap with apt-get');
  try {
    const options = { stdin: 'ignore' as const, env: { DEBIAN_FRONTEND: 'noninteractive' } };
    await execa('apt-get', ['update', '-q'], options);
    await execa(
      'apt-get',
      ['install', '-y', '-q', '--no-install-recommends', 'debootstrap', 'debian-archive-keyring'],
      options,
    );
    return path;
  } catch (error) {
    return new Error(
      `debootstrap is not installed and apt-get failed: ${(error as { shortMessage?: string }).shortMessage ?? String(error)}`,
    );
  }
}
