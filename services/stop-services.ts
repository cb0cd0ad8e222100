import { markDown } from './down-mark.js';
import { servicePaths } from './home-paths.js';
import { isAlive, signal, waitUntilGone } from './process-identity.js';
import { recordBothDied } from './service-faults.js';
import { readServicesFile, SERVICE_NAMES, writeServicesFile, type ServiceName } from './services-file.js';
import { endProcess } from './supervised-service.js';

/** The worker's grace period, PostgreSQL's checkpoint, and a margin. */
const STOP_LIMIT_MS = 75_000;

/** Worker, Temporal, PostgreSQL, in this order. Returns the names of what was running. */
export async function stopServices(options: {
  home: string;
  /** Read-only commands do not restart them. */
  stayDown?: boolean;
  onProgress?: (line: string) => void;
}): Promise<{ stopped: ServiceName[] }> {
  const paths = servicePaths(options.home);
  const { servicesFile } = paths.layout;
  const say = options.onProgress ?? (() => undefined);
  // First, so that no process restarts what we stop.
  if (options.stayDown === true) markDown(options.home);
  const before = readServicesFile(servicesFile);
  if (before === null) return { stopped: [] };
  // Stopping removes its name.
  recordBothDied(paths, before.supervisor);
  const running = SERVICE_NAMES.filter((name) => isAlive(before.services[name]?.process));

  // First the guardian, which would restart the supervisor.
  signal(before.supervisor?.guardian, 'SIGTERM');
  if (before.supervisor && signal(before.supervisor, 'SIGTERM')) {
    say('stopping: worker, Temporal, PostgreSQL …');
    if (!(await waitUntilGone(before.supervisor, STOP_LIMIT_MS))) {
      say('the supervisor did not stop; killing it');
      signal(before.supervisor, 'SIGKILL');
      await waitUntilGone(before.supervisor, 5000);
    }
  }

  const after = readServicesFile(servicesFile) ?? before;
  if (isAlive(after.supervisor)) return { stopped: running };
  let orphans = false;
  for (const name of ['worker', 'temporal', 'postgres'] as const) {
    const process = after.services[name]?.process;
    if (!process || !isAlive(process)) continue;
    orphans = true;
    say(`ending ${name}, process ${process.pid}, left without a supervisor`);
    const polite = name === 'postgres' ? 'SIGINT' : 'SIGTERM';
    await endProcess(process, [[polite, 20_000] as const, ['SIGKILL', 5000] as const], say);
  }
  if (orphans || after.supervisor !== null) {
    for (const state of Object.values(after.services)) Object.assign(state, { process: null, status: 'stopped' });
    writeServicesFile(servicesFile, { ...after, status: 'stopped', supervisor: null });
  }
  return { stopped: running };
}
