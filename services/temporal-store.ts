import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** SQLite's own verdict, in its words and with its code, as the server logs it. A slow or full disk has other words. */
const VERDICT = /(database disk image is malformed|file is not a database) \(\d+\)/;
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;
/** Read of a log at once: a server that finds damage repeats it. */
const LOG_BYTES = 1024 * 1024;

/** Where its log-structured parts lie, besides the file itself. */
const PARTS = ['', '-wal', '-shm'];

/**
 * The SQLite file of the embedded Temporal server: finds out whether it is damaged, from the file and from the errors that the server
 * logs, never from the time that an answer takes.
 */
export class TemporalStore {
  /** The file on which the server was started, once the server has made it. */
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
   * Before a start of the server: moves a damaged store aside, so that the server begins an empty one. `used`: a server has worked on
   * this store, so a missing or empty file is a loss. Returns what happened; null: nothing was wrong.
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

  /** What is wrong with the store of the running server; null: nothing that shows. Remembered until the next start. */
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
    // A line that is still being written is read again.
    const whole = bytes.lastIndexOf('\n') + 1;
    this.logOffset = from + whole;
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
      const [verdict] = VERDICT.exec(ownWords(line)) ?? [];
      if (verdict !== undefined) return `the server reports "${verdict}"`;
    }
    return null;
  }

  /** SQLite never shortens the file below the pages that its header names, and never replaces it. */
  private damageInUse(): string | null {
    const stats = statSync(this.file, { throwIfNoEntry: false });
    if (stats === undefined) return this.inode === null ? null : 'its file was removed under the running server';
    this.inode ??= stats.ino;
    if (stats.ino !== this.inode) return 'its file was replaced under the running server';
    const shrunk = stats.size < this.largest;
    this.largest = Math.max(this.largest, stats.size);
    // While a new store is made, it is empty.
    if (stats.size === 0) return shrunk ? 'its file was emptied under the running server' : null;
    const header = readHeader(this.file);
    if (header === 'foreign') return 'its file does not begin as an SQLite database does';
    return shrunk && header !== null && header.bytes > stats.size
      ? `its file was cut to ${stats.size} bytes under the running server`
      : null;
  }
}

/** What is wrong with a store that no server has open. `used`: a server has worked on it. */
export function damageAtRest(file: string, used: boolean): string | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return used ? 'its file was gone' : null;
  if (stats.size === 0) return used ? 'its file was empty' : null;
  const header = readHeader(file);
  if (header === 'foreign') return 'its file does not begin as an SQLite database does';
  // With a write-ahead log the missing pages may lie there: the server finds out.
  if (header === null || sizeOf(`${file}-wal`) > 0 || header.bytes <= stats.size) return null;
  return `its file has ${stats.size} bytes of ${header.bytes}`;
}

/** Damaged stores that were kept, oldest first. */
export function keptStores(file: string): { path: string; bytes: number; at: Date }[] {
  const begins = `${basename(file)}.damaged-`;
  const names = listed(dirname(file)).filter((name) => name.startsWith(begins) && !/-(wal|shm)$/.test(name));
  return names.sort().map((name) => {
    const path = join(dirname(file), name);
    const time = name.slice(begins.length).replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z');
    return { path, bytes: sizeOf(path), at: new Date(time) };
  });
}

/** Moves the file and its log-structured parts to names with a time. Returns the file's; null: there was none. */
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

/** Of a line of the server's log what the server itself says; values that clients gave are left out. */
function ownWords(line: string): string {
  if (!line.includes(' (')) return '';
  try {
    const { msg, error } = JSON.parse(line) as { msg?: unknown; error?: unknown };
    return `${String(msg)}\n${String(error)}`;
  } catch {
    return line;
  }
}

/** The size that the header names; `foreign`: it is not SQLite's; null: it names none, or cannot be read now. */
function readHeader(file: string): { bytes: number } | 'foreign' | null {
  const header = readPart(file, 0, HEADER_BYTES);
  if (header === null) return null;
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return 'foreign';
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // The count of pages is valid only if it was written with the last change of the file.
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
