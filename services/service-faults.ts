import { appendFileSync, closeSync, futimesSync, openSync, renameSync, statSync } from 'node:fs';
import type { ServiceFault } from '../domain/home/service-fault.js';
import type { servicePaths } from './home-paths.js';
import { isAlive } from './process-identity.js';
import type { ServicesFile } from './services-file.js';

/** Enough for thousands of faults; the worker turns them into events long before. */
const LIMIT_BYTES = 1024 * 1024;

/**
 * Append to the home's faults. A file keeps them until the worker can store them as events, since PostgreSQL may be what died.
 * Returns false on a full disk, which must not stop the supervisor.
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
 * The supervisor that the home's file names, if it died together with its guardian, as when the machine loses its power: neither
 * could record that, so the process that finds it does. One that has stopped is no longer named.
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

/** The sign of life that `recordBothDied` looks at. A full disk takes an empty file, and the time of one that is there. */
export function showAlive({ alive }: Pick<ReturnType<typeof servicePaths>, 'alive'>): void {
  try {
    const file = openSync(alive, 'a', 0o600);
    const now = new Date();
    futimesSync(file, now, now);
    closeSync(file);
  } catch {
    // The home was removed, or its disk is ill: the supervisor notices by itself.
  }
}
