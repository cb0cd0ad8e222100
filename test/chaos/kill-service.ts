import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { identify, waitUntilGone } from '../../services/process-identity.js';
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

/** kill -9; false if it was not running at this moment (its last death is not mended yet). */
export function killService(home: BenchHome, victim: Victim): boolean {
  const file = read(home);
  const recorded = file.services[victim]?.process;
  if (recorded == null || identify(recorded.pid)?.startTime !== recorded.startTime) return false;
  // Postgres may run under a wrapper: the postmaster itself is what must die.
  const pid = victim === 'postgres' ? postmaster(file) : recorded.pid;
  const identity = pid === null ? null : identify(pid);
  if (identity === null) return false;
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

/** It answers nobody for a while, and finds then that time has passed. */
export async function pauseService(home: BenchHome, victim: Victim, ms: number): Promise<void> {
  const pid = read(home).services[victim]?.process?.pid;
  if (pid === undefined) throw new Error(`${victim} does not run`);
  process.kill(pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, ms));
  process.kill(pid, 'SIGCONT');
}

/** A crash of the container's own, not by the engine; returns once its processes are gone. Throws if it does not run. */
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
