import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises';
import { sharedWork } from './shared-work.js';

/** Processes of this host, from /proc: `kill(pid, 0)` would count zombies as alive. */

interface HostProcess {
  pid: number;
  state: string;
  session: number;
  /** Clock ticks since boot; with the pid, a permanent identity. */
  started: number;
}

async function readProcess(pid: number): Promise<HostProcess | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  const [state = '', , , session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  return { pid, state, session: Number(session), started: Number(rest[15]) };
}

export async function isAlive(pid: number, started: number): Promise<boolean> {
  return (await readProcess(pid))?.started === started;
}

export async function isStopped(pid: number): Promise<boolean> {
  const process = await readProcess(pid);
  return process === null || process.state === 'T';
}

/** In clock ticks since boot; null: it is dead. */
export async function startedAt(pid: number): Promise<number | null> {
  return (await readProcess(pid))?.started ?? null;
}

export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

const allPids = async (): Promise<number[]> =>
  (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => Number(name));

/** /proc is read synchronously, in batches, so that others get their turn. */
const PIDS_AT_ONCE = 50;

/** By real and effective user. Callers share a scan, since hundreds of runs may end at once. */
const processesByUser = sharedWork(async (): Promise<ReadonlyMap<number, readonly number[]>> => {
  const found = new Map<number, number[]>();
  for (const [i, pid] of (await allPids()).entries()) {
    if (i % PIDS_AT_ONCE === PIDS_AT_ONCE - 1) await breath();
    const users = usersOf(pid);
    for (const uid of new Set(users)) found.set(uid, [...(found.get(uid) ?? []), pid]);
  }
  return found;
});

function usersOf(pid: number): number[] {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return [];
  }
  if (/^State:\s+[ZX]/m.test(status)) return [];
  const users = /^Uid:\s+(\d+)\s+(\d+)/m.exec(status);
  return users === null ? [] : [Number(users[1]), Number(users[2])];
}

export async function processesOfUser(uid: number): Promise<readonly number[]> {
  return (await processesByUser()).get(uid) ?? [];
}

export async function usersWithProcesses(): Promise<ReadonlySet<number>> {
  return new Set((await processesByUser()).keys());
}

/** Living members of the session of a process (leader, started), which may be dead. */
export async function processesOfSession(leader: number, started: number): Promise<number[]> {
  const now = await readProcess(leader);
  if (now !== null && now.started !== started) return [];
  const members: number[] = [];
  for (const pid of await allPids()) {
    const process = await readProcess(pid);
    if (process?.session === leader && process.started >= started) members.push(pid);
  }
  return members;
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Kills what `find` returns until it returns nothing. False: something was left `withinMs` after
 * the first kill, not counting the scans.
 */
export async function killUntilNone(find: () => Promise<readonly number[]>, withinMs: number): Promise<boolean> {
  let begun: number | undefined;
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 20)) {
    const found = await find();
    if (found.length === 0) return true;
    if (begun !== undefined && performance.now() - begun > withinMs) return false;
    for (const pid of found) kill(pid, 'SIGKILL');
    begun ??= performance.now();
    await sleep(pause);
  }
}
