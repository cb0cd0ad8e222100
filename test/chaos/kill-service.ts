import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { identify, type ProcessIdentity, signal, waitUntilGone } from '../../services/process-identity.js';
import type { BenchHome } from '../setup/bench-home.js';

export type Victim = 'worker' | 'temporal' | 'postgres';

interface ServicesFile {
  postgresData: string | null;
  services: Record<string, { process: { pid: number; startTime: string } | null }>;
}

const read = (home: BenchHome): ServicesFile =>
  JSON.parse(readFileSync(join(home.dir, 'services.json'), 'utf8')) as ServicesFile;

/** Whom we killed: a process may be about to die for a while, and its record outlives it. */
const killed = new Set<string>();

/** Its process at this moment; null: it does not run, as when its last death is not mended yet. */
export function runningService(home: BenchHome, victim: Victim): ProcessIdentity | null {
  const recorded = read(home).services[victim]?.process;
  return recorded == null || identify(recorded.pid)?.startTime !== recorded.startTime ? null : recorded;
}

/** kill -9; false if it was not running at this moment. */
export function killService(home: BenchHome, victim: Victim): boolean {
  const recorded = runningService(home, victim);
  if (recorded === null) return false;
  // Postgres may run under a wrapper: the postmaster itself is what must die.
  const pid = victim === 'postgres' ? postmaster(read(home)) : recorded.pid;
  const identity = pid === null ? null : identify(pid);
  return identity !== null && killOnce(identity);
}

/** kill -9 of a process; false if it is gone, or about to. */
export function killOnce(identity: ProcessIdentity): boolean {
  const name = `${identity.pid} ${identity.startTime}`;
  if (killed.has(name)) return false;
  try {
    process.kill(identity.pid, 'SIGKILL');
    killed.add(name);
    return true;
  } catch {
    return false;
  }
}

/** kill -9, as soon as it is running. */
export async function killServiceOnceItRuns(home: BenchHome, victim: Victim): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!killService(home, victim)) {
    if (Date.now() > deadline) throw new Error(`${victim} has not come back in 300 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Stops answering for a while, then finds that time has passed. False: it did not run. */
export async function pauseService(home: BenchHome, victim: Victim, ms: number): Promise<boolean> {
  const service = runningService(home, victim);
  if (service === null) return false;
  signal(service, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, ms));
  // Its supervisor may have taken it for dead.
  signal(service, 'SIGCONT');
  return true;
}

/** A crash inside the container; returns once its processes are gone. Throws if it does not run. */
export async function killContainer(container: Docker.Container): Promise<void> {
  const { Pid: pid } = (await container.inspect()).State;
  // To process 0 means: to our whole group.
  if (pid <= 0) throw new Error('the container does not run');
  const identity = identify(pid);
  process.kill(pid, 'SIGKILL');
  // With the last process of its namespace, which on a loaded machine takes a moment.
  if (identity !== null && !(await waitUntilGone(identity, 60_000)))
    throw new Error(`process ${pid} is still there 60 s after its SIGKILL`);
}

function postmaster(file: ServicesFile): number | null {
  try {
    return Number(readFileSync(join(file.postgresData ?? '', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}
