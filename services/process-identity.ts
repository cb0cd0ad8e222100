import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { FairTimeout, readThreads } from './fair-timeout.js';

/** Process ids are reused; with the start time (on Linux with the boot id) they are unique. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

/** Null: no such process, or a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const startTime = process.platform === 'linux' ? linuxStartTime(pid) : portableStartTime(pid);
  return startTime === null ? null : { pid, startTime };
}

/** `kill(pid, 0)` succeeds on zombies and reused ids; this does not. */
export function isAlive(identity: ProcessIdentity | null | undefined): boolean {
  if (!identity) return false;
  return identify(identity.pid)?.startTime === identity.startTime;
}

/** Never signals another process with the same id. False: it is gone. */
export function signal(identity: ProcessIdentity | null | undefined, name: NodeJS.Signals): boolean {
  if (!identity || !isAlive(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Counts only usable time, so that a process short of CPU gets time to end. */
export async function waitUntilGone(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const timeout = new FairTimeout(timeoutMs, () => readThreads(identity.pid));
  while (isAlive(identity)) {
    if (timeout.isOver()) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** Live processes whose `/proc` entry matches; empty without `/proc`. */
export function findProcesses(matches: (pid: number) => boolean): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const found: ProcessIdentity[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const pid = Number(entry);
    if (pid === process.pid || !matches(pid)) continue;
    const identity = identify(pid);
    if (identity) found.push(identity);
  }
  return found;
}

export function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

export function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

let bootId: string | undefined;

function linuxStartTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may contain parentheses and blanks: fields start after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    if (state === 'Z' || state === 'X') return null;
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${fields[19]}@${bootId}`;
  } catch {
    return null;
  }
}

function portableStartTime(pid: number): string | null {
  const ps = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const line = ps.stdout?.trim() ?? '';
  if (ps.status !== 0 || line === '' || line.startsWith('Z')) return null;
  return line.replace(/^\S+\s+/, '');
}
