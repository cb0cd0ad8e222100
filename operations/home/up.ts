import type { ServiceEndpoints } from '../../domain/home/services.js';
import { servicesStatus, withoutPassword } from '../../services/index.js';
import type { BenchSettings } from '../settings.js';
import type { ServiceStatus } from '../../domain/views/home.js';

export interface UpPorts {
  settings: Pick<BenchSettings, 'home'>;
  renewWorker: () => Promise<ServiceEndpoints>;
}

export interface RunningServices {
  endpoints: ServiceEndpoints;
  /** The database's address, without its password. */
  database: string;
  supervisorPid: number | null;
  services: ServiceStatus[];
}

/** Starts the services that the settings do not name, and a worker; waits until all answer. */
export async function up({ settings, renewWorker }: UpPorts): Promise<RunningServices> {
  const endpoints = await renewWorker();
  const { supervisorPid, services } = servicesStatus(settings.home);
  return { endpoints, database: withoutPassword(endpoints.databaseUrl), supervisorPid, services };
}
