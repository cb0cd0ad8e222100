import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processes of this host, through /proc: `kill(pid, 0)` would take a zombie for a living process. */

interface HostProcess {
  pid: number;
  session: number;
  /** Clock ticks since boot: with the pid, it names a process for good. */
  started: number;
}

async function readProcess(pid: number): Promise<HostProcess | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  const [state, , , session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  return { pid, session: Number(session), started: Number(rest[15]) };
}

export async function isAlive(pid: number, started: number): Promise<boolean> {
  return (await readProcess(pid))?.started === started;
}

/** When it started, in clock ticks since boot; null: it is dead. */
export async function startedAt(pid: number): Promise<number | null> {
  return (await readProcess(pid))?.started ?? null;
}

export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

const allPids = async (): Promise<number[]> =>
  (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => Number(name));

/** Living processes whose real or effective user is `uid`. */
export async function processesOfUser(uid: number): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await allPids()) {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    const users = /^Uid:\s+(\d+)\s+(\d+)/m.exec(status);
    if (users !== null && [users[1], users[2]].includes(String(uid)) && (await readProcess(pid)) !== null)
      found.push(pid);
  }
  return found;
}

/** Living members of the session that process (leader, started) led, whether it still lives or not. */
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

/** Kill what `find` finds until it finds nothing. False: after `withinMs` something was still there. */
export async function killUntilNone(find: () => Promise<number[]>, withinMs: number): Promise<boolean> {
  const begun = performance.now();
  for (;;) {
    const found = await find();
    if (found.length === 0) return true;
    if (performance.now() - begun > withinMs) return false;
    for (const pid of found) kill(pid, 'SIGKILL');
    await sleep(5);
  }
}
