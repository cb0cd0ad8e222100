import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../../domain/errors.js';
import type { HomeLayout } from '../../../domain/home/layout.js';
import type { DataSource } from '../../../domain/task/data.js';
import { lock } from '../../../services/index.js';
import { makeFolder } from '../../../services/make-folder.js';
import { openUrl } from '../../../transport/open-url.js';

/** Tries of one address; each resumes where the last one stopped. */
const TRIES = 4;
/** How long to wait for another process with the same source. */
const OTHERS_MS = 24 * 60 * 60_000;
/** A connection without a byte for this long is closed. */
const SILENCE_MS = 30_000;

export interface DownloadOptions {
  /** A folder that may have sources already, by their names. */
  from?: string | undefined;
  /** The source's path; then nothing is fetched. */
  place?: string | undefined;
  /** For addresses that begin with `debian:`; null or absent: there is none. */
  debianMirror?: string | null | undefined;
  /** Bytes fetched so far. */
  onProgress?: (bytes: number) => void;
  signal?: AbortSignal | undefined;
}

/** A source's final path; its checksum names it, so that tasks share it. */
export const sourcePath = (layout: HomeLayout, source: Pick<DataSource, 'name' | 'sha256'>): string =>
  join(layout.downloads, source.sha256, source.name);

export async function missingBytes(layout: HomeLayout, source: DataSource): Promise<number> {
  const place = sourcePath(layout, source);
  if (existsSync(place)) return 0;
  return Math.max(0, source.bytes - (await sizeOf(`${place}.part`)));
}

/**
 * Fetches a source, resuming after any interruption. Only a file of the declared size and checksum
 * is moved into place. Throws BenchError.
 */
export async function download(layout: HomeLayout, source: DataSource, options: DownloadOptions): Promise<string> {
  const place = sourcePath(layout, source);
  if (existsSync(place)) return place;
  makeFolder(join(layout.downloads, source.sha256));
  // Two writers of the same part would corrupt it.
  const held = await lock(join(layout.downloads, `${source.sha256}.lock`), { timeoutMs: OTHERS_MS });
  try {
    if (existsSync(place)) return place;
    const part = `${place}.part`;
    const given = options.place ?? (options.from === undefined ? null : join(options.from, source.name));
    if (given !== null && existsSync(given)) {
      await rm(part, { force: true });
      await copyFile(given, part, constants.COPYFILE_FICLONE);
      await requireDeclared(source, part);
    } else await fetchAny(source, part, options);
    await rename(part, place);
    return place;
  } finally {
    held.release();
  }
}

/** Removes a file that differs from the declaration, and throws. */
async function requireDeclared(source: DataSource, part: string): Promise<void> {
  const [bytes, sha256] = [await sizeOf(part), await digestOf(part)];
  if (bytes === source.bytes && sha256 === source.sha256) return;
  await rm(part, { force: true });
  throw new WrongFile(
    `${source.name} is not the file that task.yaml declares: ${bytes} bytes with SHA-256 ${sha256}, expected ${source.bytes} with ${source.sha256}`,
    'It was removed; try again, or put the right file into a folder and name that.',
  );
}

/** Resolves an address; `unknown` says why it cannot. */
function located(url: string, mirror: string | null): { address: string } | { unknown: string } {
  if (!url.startsWith('debian:')) return { address: url };
  if (mirror === null)
    return {
      unknown: `${url}: apt of this host names no mirror of Debian on the web, and BENCH_DEBIAN_MIRROR is not set`,
    };
  return { address: `${mirror.replace(/\/+$/, '')}/${url.slice('debian:'.length)}` };
}

async function fetchAny(source: DataSource, part: string, options: DownloadOptions): Promise<void> {
  const failures: string[] = [];
  let wrong: WrongFile | null = null;
  for (const declared of source.urls) {
    const place = located(declared, options.debianMirror ?? null);
    if ('unknown' in place) {
      failures.push(place.unknown);
      continue;
    }
    const url = place.address;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      options.signal?.throwIfAborted();
      try {
        await fetchRest(url, source, part, options);
        await requireDeclared(source, part);
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof WrongFile) {
          wrong = error;
          break;
        }
        const { message, cause } = error as Error;
        failures.push(`${new URL(url).host}: ${cause instanceof Error ? cause.message : message}`);
        // A refusal is permanent.
        if (error instanceof Refused) break;
        if (attempt < TRIES) await sleep(500 * 2 ** attempt, undefined, { signal: options.signal });
      }
    }
  }
  if (wrong !== null) throw wrong;
  throw new BenchError('failed', `${source.name} cannot be fetched: ${[...new Set(failures)].join('; ')}`, {
    code: 'download.failed',
    remedy: 'Try again: what was downloaded stays. Or download it yourself and name the folder, or make sample data.',
    fields: { from: '<folder>', sample: true },
  });
}

class Refused extends Error {}

/** The address has another file. */
class WrongFile extends BenchError {
  constructor(message: string, remedy: string) {
    super('failed', message, { code: 'download.failed', remedy });
  }
}

async function fetchRest(url: string, source: DataSource, part: string, options: DownloadOptions): Promise<void> {
  const from = await sizeOf(part);
  if (from === source.bytes) return;
  if (from > source.bytes) {
    await rm(part);
    return fetchRest(url, source, part, options);
  }
  const silence = new AbortController();
  const reset = (): NodeJS.Timeout => setTimeout(() => silence.abort(new Error('no byte for 30 seconds')), SILENCE_MS);
  let timer = reset();
  try {
    const signal = AbortSignal.any([silence.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    const response = await openUrl(url, { headers: from === 0 ? {} : { range: `bytes=${from}-` }, signal });
    const { statusCode: status = 0 } = response;
    if (status < 200 || status > 299) {
      response.destroy();
      const problem = `HTTP ${status}`;
      throw status >= 500 || status === 429 ? new Error(problem) : new Refused(problem);
    }
    // A server without ranges sends the whole file again.
    const resumed = status === 206;
    let have = resumed ? from : 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        clearTimeout(timer);
        timer = reset();
        have += chunk.length;
        if (have > source.bytes) throw new Refused(`more than the declared ${source.bytes} bytes`);
        options.onProgress?.(have);
        yield chunk;
      }
    };
    await pipeline(response, counted, createWriteStream(part, { flags: resumed ? 'a' : 'w' }));
    if (have < source.bytes) throw new Error(`the connection ended after ${have} of ${source.bytes} bytes`);
  } finally {
    clearTimeout(timer);
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
