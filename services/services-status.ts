import { readFileSync } from 'node:fs';
import { servicePaths } from './home-paths.js';
import { POSTGRES_DATABASE, POSTGRES_USER } from './postgres-server.js';
import { isAlive } from './process-identity.js';
import { readServicesFile, type ServiceName } from './services-file.js';
import { damageAtRest, keptStores } from './temporal-store.js';
import type { ServiceStatus } from '../domain/views/home.js';

export interface ServicesStatus {
  home: string;
  running: boolean;
  supervisorPid: number | null;
  supervisorLog: string;
  /** Without password. Null: external, or never started. */
  database: string | null;
  temporalAddress: string | null;
  temporalNamespace: string | null;
  services: ServiceStatus[];
}

export function servicesStatus(home: string): ServicesStatus {
  const paths = servicePaths(home);
  const file = readServicesFile(paths.layout.servicesFile);
  const running = isAlive(file?.supervisor);
  const ports: Partial<Record<ServiceName, number | undefined>> = file?.ports ?? {};
  const embeddedPostgres = file?.external.database === null && file.ports.postgres !== undefined;
  const embeddedTemporal = file?.external.temporal === null && file.ports.temporal !== undefined;
  return {
    home,
    running,
    supervisorPid: running ? (file?.supervisor?.pid ?? null) : null,
    supervisorLog: paths.supervisorLog,
    database: embeddedPostgres
      ? `postgresql://${POSTGRES_USER}@127.0.0.1:${file.ports.postgres}/${POSTGRES_DATABASE}`
      : null,
    temporalAddress: embeddedTemporal ? `127.0.0.1:${file.ports.temporal}` : null,
    temporalNamespace: file?.temporalNamespace ?? null,
    services: Object.entries(file?.services ?? {}).map(([key, state]) => {
      const name = key as ServiceName;
      const alive = isAlive(state.process);
      return {
        name,
        status: state.process !== null && !alive ? ('gone' as const) : running || alive ? state.status : 'stopped',
        pid: alive ? (state.process?.pid ?? null) : null,
        port: ports[name] ?? null,
        restarts: state.restarts,
        startedAt: state.startedAt,
        lastExit: state.lastExit,
        log: paths.log(name),
      };
    }),
  };
}

/** Damage of the embedded store, if no server has it open, and the damaged stores kept. */
export function temporalStoreStatus(home: string): { damage: string | null; kept: ReturnType<typeof keptStores> } {
  const { layout } = servicePaths(home);
  const file = readServicesFile(layout.servicesFile);
  const open = isAlive(file?.services.temporal?.process);
  const damage = open ? null : damageAtRest(layout.temporalDb, file?.temporalStore ?? false);
  return { damage, kept: keptStores(layout.temporalDb) };
}

/** With password; null: the home has none. */
export function embeddedDatabaseUrl(home: string): string | null {
  const paths = servicePaths(home);
  const port = readServicesFile(paths.layout.servicesFile)?.ports.postgres;
  try {
    const password = readFileSync(paths.postgresPassword, 'utf8').trim();
    return port === undefined
      ? null
      : `postgresql://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${POSTGRES_DATABASE}`;
  } catch {
    return null;
  }
}
