import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { BenchError } from '../../domain/errors.js';
import { given, KNOWN_BASES, localImage, resolveBaseImage } from './base-image.js';
import { isPodman } from './engine.js';
import { followEngine } from './follow-engine.js';
import { tarBytes, type TarEntry } from './tar-bytes.js';

export type ImageKind = 'agent' | 'evaluator';

export interface ImageOptions {
  assetsRoot: string;
  /** Image to build on; default: see resolveBaseImage. */
  base?: string | undefined;
  chosen?: string | undefined;
  /** Cache of a debootstrap base, for other engines and homes; absent: none. */
  cacheDir?: string | undefined;
  /** Another engine on this machine, whose images are copied rather than built again. */
  donor?: Docker | undefined;
  onProgress?: ((line: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface BuiltImage {
  /** `bench-<kind>:<hash of the folder and the base>` */
  ref: string;
  digest: string;
}

/** Built if missing. The tag is a hash of the input: never stale, the same in every process. */
export async function ensureImage(docker: Docker, kind: ImageKind, options: ImageOptions): Promise<BuiltImage> {
  const onProgress = options.onProgress ?? (() => undefined);
  const files = await readContext(join(options.assetsRoot, 'images', kind));
  const base = await shared(docker, `base ${options.base ?? ''}`, () =>
    resolveBaseImage(docker, options.base, { ...options, onProgress }),
  );
  const ref = `bench-${kind}:${contextHash(files, base.id)}`;
  return await shared(docker, ref, async () => {
    const existing =
      (await localImage(docker, ref)) ??
      (await given(docker, options.donor, [ref], onProgress)) ??
      (await build(docker, kind, { ref, base: base.ref, files, onProgress, signal: options.signal }));
    return { ref, digest: existing.id };
  });
}

/** Existing images that ensureImage might use, for each possible base. Builds nothing. */
export async function currentImageRefs(docker: Docker, assetsRoot: string): Promise<string[]> {
  const bases = (await Promise.all(KNOWN_BASES.map((ref) => localImage(docker, ref)))).filter((base) => base !== null);
  const refs: string[] = [];
  for (const kind of ['agent', 'evaluator'] as const) {
    const files = await readContext(join(assetsRoot, 'images', kind));
    refs.push(...bases.map((base) => `bench-${kind}:${contextHash(files, base.id)}`));
  }
  return refs;
}

const pending = new WeakMap<Docker, Map<string, Promise<unknown>>>();

async function shared<T>(docker: Docker, key: string, work: () => Promise<T>): Promise<T> {
  const ofEngine = pending.get(docker) ?? new Map<string, Promise<unknown>>();
  pending.set(docker, ofEngine);
  const running = ofEngine.get(key) as Promise<T> | undefined;
  if (running !== undefined) return await running;
  const started = work().finally(() => ofEngine.delete(key));
  ofEngine.set(key, started);
  return await started;
}

/**
 * Podman's bridge needs plugins and a firewall, so packages come over the host's network. Its
 * default limit of open files may exceed what its service is allowed.
 */
const PODMAN_BUILD = { networkmode: 'host', ulimits: JSON.stringify(['nofile=8192:8192']) };

async function build(
  docker: Docker,
  kind: ImageKind,
  {
    ref,
    base,
    files,
    onProgress,
    signal,
  }: {
    ref: string;
    base: string;
    files: TarEntry[];
    onProgress: (line: string) => void;
    signal: AbortSignal | undefined;
  },
) {
  onProgress(`building ${ref} on ${base}`);
  try {
    const answer = await docker.buildImage(Readable.from([await tarBytes(files)]), {
      t: ref,
      buildargs: { BASE: base },
      labels: { 'bench.image': kind },
      rm: true,
      forcerm: true,
      ...(signal !== undefined && { abortSignal: signal }),
      ...((await isPodman(docker)) && PODMAN_BUILD),
    });
    await followEngine(docker, answer, onProgress, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new BenchError('failed', `building the ${kind} image ${ref} on ${base} failed: ${(error as Error).message}`, {
      code: 'image.build_failed',
      remedy: 'see above which step failed, or build on another base with `bench images build`',
      fields: { base: '<image>' },
      cause: error,
    });
  }
  const built = await localImage(docker, ref);
  if (built === null)
    throw new BenchError('failed', `the engine built ${ref} but does not list it`, { code: 'image.build_failed' });
  return built;
}

async function readContext(dir: string): Promise<TarEntry[]> {
  const files: TarEntry[] = [];
  const names = (await readdir(dir, { recursive: true })).sort();
  for (const path of names) {
    // A change in a README makes no new image.
    if (path.includes('__pycache__') || path.endsWith('.md')) continue;
    const stat = await lstat(join(dir, path));
    if (!stat.isFile()) continue;
    // Only the executable bit counts: umasks differ between checkouts.
    files.push({ name: path, mode: stat.mode & 0o100 ? 0o755 : 0o644, bytes: await readFile(join(dir, path)) });
  }
  return files;
}

function contextHash(files: TarEntry[], baseId: string): string {
  const hash = createHash('sha256').update(baseId);
  for (const { name, mode, bytes } of files) {
    hash.update(`\0${name}\0${mode}\0${bytes?.length ?? 0}\0`).update(bytes ?? '');
  }
  return hash.digest('hex').slice(0, 16);
}
