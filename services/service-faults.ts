import { appendFileSync, renameSync, statSync } from 'node:fs';
import type { ServiceFault } from '../domain/service-fault.js';

/** Some thousands of faults; the worker has made events of them long before the file is this large. */
const LIMIT_BYTES = 1024 * 1024;

/**
 * Add a line to the home's faults. Postgres may be what died, so a file keeps them until the worker can make events of them.
 * A disk that takes no more lines must not take the supervisor with it: returns false then.
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
