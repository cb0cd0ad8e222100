import { appendFileSync, closeSync, futimesSync, openSync, renameSync, statSync } from 'node:fs';
import type { ServiceFault } from '../domain/home/service-fault.js';
import type { servicePaths } from './home-paths.js';
import { isAlive } from './process-identity.js';
import type { ServicesFile } from './services-file.js';

/** Thousands of faults; the worker soon turns them into events. */
const LIMIT_BYTES = 1024 * 1024;

/**
 * A file, until the worker can store the faults as events: PostgreSQL may be what died. False: the
 * disk is full, which must not stop the supervisor.
 */
export function recordServiceFault(path: string, fault: ServiceFault): boolean {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LIMIT_BYTES) renameSync(path, `${path}.1`);
    appendFileSync(path, `${JSON.stringify(fault)}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Records the death of a supervisor together with its guardian, as in a power cut, since neither
 * could. A supervisor that stopped properly is not named.
 */
export function recordBothDied(
  { layout, alive }: ReturnType<typeof servicePaths>,
  supervisor: ServicesFile['supervisor'] | undefined,
): void {
  if (!supervisor || isAlive(supervisor) || isAlive(supervisor.guardian)) return;
  const seen = statSync(alive, { throwIfNoEntry: false })?.mtime.toISOString() ?? supervisor.startedAt;
  const reason = `and its guardian died; they were last alive at ${seen}, and left the services to themselves`;
  recordServiceFault(layout.serviceFaults, { service: 'supervisor', at: new Date().toISOString(), reason });
}

/** See `recordBothDied`. A full disk still takes an empty file and new times. */
export function showAlive({ alive }: Pick<ReturnType<typeof servicePaths>, 'alive'>): void {
  try {
    const file = openSync(alive, 'a', 0o600);
    const now = new Date();
    futimesSync(file, now, now);
    closeSync(file);
  } catch {
    // The home was removed, or its disk fails: the supervisor notices by itself.
  }
}
