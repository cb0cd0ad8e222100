import { closeSync, copyFileSync, openSync, readSync, fstatSync, statSync, truncateSync } from 'node:fs';

/** A larger log becomes `<log>.1`, replacing its predecessor. */
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** Copies and truncates, since processes have the log open for appending. May lose lines. */
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
