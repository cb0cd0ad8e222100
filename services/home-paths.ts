import { dirname, join } from 'node:path';
import { homeLayout } from '../domain/home/layout.js';
import type { ServiceName } from './services-file.js';

/** What the services keep under a home, beyond what others know of. */
export function servicePaths(home: string) {
  const layout = homeLayout(home);
  const own = join(home, 'supervisor');
  return {
    layout,
    own,
    /** Held by the one supervisor of this home, for its life. */
    lock: join(own, 'lock'),
    /** Written by the supervisor every second: who finds it dead sees since when. */
    alive: join(own, 'alive'),
    /** Exists from `bench down` until the next explicit start. */
    down: join(own, 'down'),
    /** Which build's migrations the database has seen: the worker waits for it. */
    migrated: join(own, 'migrated'),
    /** A new worker command, handed over with SIGHUP, then removed: it may hold keys. */
    handover: join(own, 'handover.json'),
    /** Holds the worker's process id from when it is ready. */
    workerReady: join(own, 'worker-ready'),
    /** The key for clients of the embedded Temporal. */
    temporalKey: join(dirname(layout.temporalDb), 'tls.key'),
    temporalCertificate: join(dirname(layout.temporalDb), 'tls.crt'),
    postgresPassword: join(home, 'postgres', 'password'),
    supervisorLog: join(layout.logs, 'supervisor.log'),
    log: (service: ServiceName) => join(layout.logs, `${service}.log`),
  };
}
