import { closeSync, copyFileSync, openSync, readSync, fstatSync, statSync, truncateSync } from 'node:fs';

/** A log above this is moved to `<log>.1`, whose predecessor is dropped. */
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/**
 * Copies and truncates, since running processes hold the file open (for appending, so that their next line starts the
 * new one). Lines written between copy and truncation are lost: a log, not a record.
 */
export function rotateLog(path: string, limitBytes = LOG_LIMIT_BYTES): boolean {
  try {
    if (statSync(path).size <= limitBytes) return false;
    copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
    return true;
  } catch {
    return false;
  }
}

/** The last lines of a log, for error messages; empty when there is none. */
export function lastLogLines(path: string, count = 8): string[] {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const size = fstatSync(descriptor).size;
    const length = Math.min(size, 16 * 1024);
    const buffer = Buffer.alloc(length);
    readSync(descriptor, buffer, 0, length, size - length);
    const lines = buffer.toString('utf8').trimEnd().split('\n');
    return lines.slice(-count).filter((line) => line !== '');
  } catch {
    return [];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
