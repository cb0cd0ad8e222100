import { open as openFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
// Inspect's own viewer unpacks zstd with it; Node does only from 22.15.
import { Decompress } from 'fzstd';
import { type Entry, open, type ZipFile } from 'yauzl';
import { UnreadableFile } from '../unreadable-file.js';

const ZSTD = 93;
const METHODS: readonly number[] = [0, 8, ZSTD];
/** Bytes of zstd unpacked at a time: four can be a block, which is 128 KiB of text. */
const SLICE = 32;
/** No log has so many. */
const MOST_MEMBERS = 1_000_000;

/** Members by name; of duplicates the last, as in Inspect's reader. */
export interface ZipMembers {
  names(): string[];
  /** Throws UnreadableFile. */
  text(name: string): AsyncGenerator<string>;
  close(): void;
}

export async function openZip(path: string, file: string): Promise<ZipMembers> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false }, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  }).catch(async (error: Error) => {
    throw (await isJson(path)) ? jsonLog(file) : refused(file, error);
  });
  const entries = new Map<string, Entry>();
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on('error', (error: Error) => reject(refused(file, error)));
      zip.on('end', resolve);
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName, entry);
        if (entries.size > MOST_MEMBERS)
          reject(new UnreadableFile(file, '', 'too_large', 'the archive has too many members'));
        else zip.readEntry();
      });
      zip.readEntry();
    });
  } catch (error) {
    zip.close();
    throw error;
  }
  return {
    names: () => [...entries.keys()],
    close: () => zip.close(),
    async *text(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new UnreadableFile(file, name, 'missing_key', 'the archive has no such member');
      const decoder = new TextDecoder('utf-8', { fatal: true });
      const decode = (bytes?: Uint8Array): string => {
        try {
          return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
        } catch {
          throw new UnreadableFile(file, name, 'wrong_encoding', 'not UTF-8');
        }
      };
      try {
        for await (const bytes of await bytesOf(zip, entry, file)) yield decode(bytes);
        yield decode();
      } catch (error) {
        if (error instanceof UnreadableFile) throw error;
        // The library's words are about offsets and signatures.
        throw new UnreadableFile(file, name, 'truncated', 'cannot be unpacked: its bytes are damaged');
      }
    },
  };
}

const refused = (file: string, { code }: NodeJS.ErrnoException): UnreadableFile =>
  code === undefined || code === 'EOF'
    ? new UnreadableFile(file, '', 'truncated', 'not a whole zip archive: another kind of file, or a damaged one')
    : new UnreadableFile(file, '', 'unreadable', `cannot be read: ${code}`);

/** Inspect's older logs are JSON. */
async function isJson(path: string): Promise<boolean> {
  const file = await openFile(path).catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.toString('latin1', 0, bytesRead).trimStart().startsWith('{');
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

const jsonLog = (file: string): UnreadableFile =>
  new UnreadableFile(
    file,
    '',
    'unknown_kind',
    "JSON, not a zip archive: if it is a log in Inspect's JSON format, convert it with " +
      '`inspect log convert --to eval --output-dir <folder> <file>` and import what that writes',
  );

async function bytesOf(zip: ZipFile, entry: Entry, file: string): Promise<AsyncIterable<Uint8Array>> {
  const { compressionMethod: method, fileName } = entry;
  if (entry.isEncrypted())
    throw new UnreadableFile(file, fileName, 'unreadable', 'encrypted: pack the archive again without a password');
  if (!METHODS.includes(method))
    throw new UnreadableFile(
      file,
      fileName,
      'unknown_kind',
      `compressed with method ${method}; stored, deflate and zstd are read`,
    );
  if (method !== ZSTD) return zip.openReadStreamPromise(entry);
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const size = entry.compressedSize;
  // The promise form passes other arguments.
  const packed = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStreamLowLevel(fileDataStart, size, 0, size, false, null, (error, stream) => {
      if (error === null) resolve(stream);
      else reject(error);
    });
  });
  return unpacked(packed);
}

/** Zstandard, as one frame or several. */
async function* unpacked(packed: Readable): AsyncGenerator<Uint8Array> {
  // Copies: fzstd passes views of a window that it overwrites.
  let pieces: Uint8Array[] = [];
  const decompress = new Decompress((piece) => void pieces.push(new Uint8Array(piece)));
  for await (const bytes of packed as AsyncIterable<Buffer>)
    for (let at = 0; at < bytes.length; at += SLICE) {
      decompress.push(bytes.subarray(at, at + SLICE));
      yield* pieces;
      pieces = [];
    }
  decompress.push(new Uint8Array(), true);
  yield* pieces;
}
