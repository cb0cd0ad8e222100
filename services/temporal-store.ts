import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** SQLite's own message with its code, as the server logs it. Slow or full disks have others. */
const VERDICT = /(database disk image is malformed|file is not a database) \(\d+\)/;
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;
/** Enough of a log: a server that finds damage repeats it. */
const LOG_BYTES = 1024 * 1024;

const PARTS = ['', '-wal', '-shm'];

/** Judges by the file and the server's logged errors, never by response times. */
export class TemporalStore {
  private inode: number | null = null;
  private largest = 0;
  private logOffset: number;
  private found: string | null = null;

  constructor(
    private readonly file: string,
    private readonly log: string,
  ) {
    this.logOffset = sizeOf(log);
  }

  /**
   * Before a start: moves a damaged store aside. `used`: a server has used the store, so a missing
   * or empty file is a loss. Returns what happened; null: nothing was wrong.
   */
  prepare(used: boolean, now: Date): string | null {
    const damage = this.damage() ?? damageAtRest(this.file, used);
    this.found = null;
    this.inode = null;
    this.largest = 0;
    const aside = damage === null ? null : setAside(this.file, now);
    this.logOffset = sizeOf(this.log);
    if (damage === null) return null;
    const kept = aside === null ? 'nothing of it was left to keep' : `it was kept as ${aside}`;
    return `its store was damaged: ${damage}; ${kept}, and an empty store took its place`;
  }

  /** Damage of the running server's store; null: none visible. Remembered until the next start. */
  damage(): string | null {
    return (this.found ??= this.damageInLog() ?? this.damageInUse());
  }

  private damageInLog(): string | null {
    const size = sizeOf(this.log);
    // The log was rotated.
    if (size < this.logOffset) this.logOffset = 0;
    if (size === this.logOffset) return null;
    const from = Math.max(this.logOffset, size - LOG_BYTES);
    const bytes = readPart(this.log, from, size - from) ?? Buffer.alloc(0);
    // Re-read a line that is still being written.
    const whole = bytes.lastIndexOf('\n') + 1;
    this.logOffset = from + whole;
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
      const [verdict] = VERDICT.exec(ownWords(line)) ?? [];
      if (verdict !== undefined) return `the server reports "${verdict}"`;
    }
    return null;
  }

  /** SQLite never shortens the file below its header's pages, and never replaces it. */
  private damageInUse(): string | null {
    const stats = statSync(this.file, { throwIfNoEntry: false });
    if (stats === undefined) return this.inode === null ? null : 'its file was removed under the running server';
    this.inode ??= stats.ino;
    if (stats.ino !== this.inode) return 'its file was replaced under the running server';
    const shrunk = stats.size < this.largest;
    this.largest = Math.max(this.largest, stats.size);
    // A new store is empty while it is made.
    if (stats.size === 0) return shrunk ? 'its file was emptied under the running server' : null;
    const header = readHeader(this.file);
    if (header === 'foreign') return 'its file does not begin as an SQLite database does';
    return shrunk && header !== null && header.bytes > stats.size
      ? `its file was cut to ${stats.size} bytes under the running server`
      : null;
  }
}

/** For a store that no server has open. `used`: a server has used it. */
export function damageAtRest(file: string, used: boolean): string | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return used ? 'its file was gone' : null;
  if (stats.size === 0) return used ? 'its file was empty' : null;
  const header = readHeader(file);
  if (header === 'foreign') return 'its file does not begin as an SQLite database does';
  // Missing pages may lie in the write-ahead log: leave it to the server.
  if (header === null || sizeOf(`${file}-wal`) > 0 || header.bytes <= stats.size) return null;
  return `its file has ${stats.size} bytes of ${header.bytes}`;
}

/** Oldest first. */
export function keptStores(file: string): { path: string; bytes: number; at: Date }[] {
  const begins = `${basename(file)}.damaged-`;
  const names = listed(dirname(file)).filter((name) => name.startsWith(begins) && !/-(wal|shm)$/.test(name));
  return names.sort().map((name) => {
    const path = join(dirname(file), name);
    const time = name.slice(begins.length).replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z');
    return { path, bytes: sizeOf(path), at: new Date(time) };
  });
}

/** Renames SQLite's files with a time. Returns the main one's name; null: there was none. */
function setAside(file: string, now: Date): string | null {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const moved = PARTS.filter((part) => {
    try {
      renameSync(`${file}${part}`, `${file}.damaged-${stamp}${part}`);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  });
  return moved.includes('') ? `${file}.damaged-${stamp}` : null;
}

/** What the server itself says, without values from clients. */
function ownWords(line: string): string {
  if (!line.includes(' (')) return '';
  try {
    const { msg, error } = JSON.parse(line) as { msg?: unknown; error?: unknown };
    return `${String(msg)}\n${String(error)}`;
  } catch {
    return line;
  }
}

/** The header's size; `foreign`: not SQLite; null: unknown now. */
function readHeader(file: string): { bytes: number } | 'foreign' | null {
  const header = readPart(file, 0, HEADER_BYTES);
  if (header === null) return null;
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return 'foreign';
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // The count of pages is valid only if written with the file's last change.
  const valid = header.readUInt32BE(24) === header.readUInt32BE(92);
  return valid ? { bytes: header.readUInt32BE(28) * pageSize } : null;
}

function readPart(path: string, from: number, length: number): Buffer | null {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const buffer = Buffer.alloc(Math.min(length, Math.max(0, fstatSync(descriptor).size - from)));
    return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, from));
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
