import { appendFileSync, renameSync, statSync } from 'node:fs';
import type { ServiceFault } from '../domain/service-fault.js';

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
