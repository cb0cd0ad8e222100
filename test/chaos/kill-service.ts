import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchHome } from '../setup/bench-home.js';

export type Victim = 'worker' | 'temporal' | 'postgres';

interface ServicesFile {
  postgresData: string | null;
  services: Record<string, { process: { pid: number } | null }>;
}

const read = (home: BenchHome): ServicesFile =>
  JSON.parse(readFileSync(join(home.dir, 'services.json'), 'utf8')) as ServicesFile;

/** kill -9; false if it was not running at this moment (its last death is not mended yet). */
export function killService(home: BenchHome, victim: Victim): boolean {
  const file = read(home);
  const recorded = file.services[victim]?.process?.pid;
  if (recorded === undefined) return false;
  // Postgres may run under a wrapper: the postmaster itself is what must die.
  const pid = victim === 'postgres' ? postmaster(file) : recorded;
  if (pid === null) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

function postmaster(file: ServicesFile): number | null {
  try {
    return Number(readFileSync(join(file.postgresData ?? '', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}
