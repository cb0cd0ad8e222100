import { dirname, join } from 'node:path';
import { homeLayout } from '../domain/home/layout.js';
import type { ServiceName } from './services-file.js';

export function servicePaths(home: string) {
  const layout = homeLayout(home);
  const own = join(home, 'supervisor');
  return {
    layout,
    own,
    /** Held by the home's supervisor for its life. */
    lock: join(own, 'lock'),
    /** Written by the supervisor every second, so that its time of death is known. */
    alive: join(own, 'alive'),
    down: join(own, 'down'),
    /** Build whose migrations the database has; the worker waits for it. */
    migrated: join(own, 'migrated'),
    /** A new worker command, for SIGHUP; removed soon, since it may contain keys. */
    handover: join(own, 'handover.json'),
    /** The worker's process id, from when it is ready. */
    workerReady: join(own, 'worker-ready'),
    temporalKey: join(dirname(layout.temporalDb), 'tls.key'),
    temporalCertificate: join(dirname(layout.temporalDb), 'tls.crt'),
    postgresPassword: join(home, 'postgres', 'password'),
    supervisorLog: join(layout.logs, 'supervisor.log'),
    log: (service: ServiceName) => join(layout.logs, `${service}.log`),
  };
}
