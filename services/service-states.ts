import { readFileSync } from 'node:fs';
import type { ServiceFacts } from '../domain/run/blocker.js';
import { temporalAccess } from '../domain/home/temporal-access.js';
import type { ServicesSettings } from './ensure-services.js';
import { servicePaths } from './home-paths.js';
import { servicesStatus } from './services-status.js';
import { readServicesFile } from './services-file.js';
import { temporalVariables } from './temporal-certificate.js';
import { probeTemporal } from './temporal-probe.js';

const ANSWER_MS = 1500;

type Settings = Pick<ServicesSettings, 'home' | 'temporalAddress' | 'temporalNamespace' | 'env'>;

/** Does Temporal answer, and which services are restarting? Starts nothing. */
export async function serviceStates(settings: Settings): Promise<ServiceFacts> {
  const { services, temporalAddress } = servicesStatus(settings.home);
  const restarting = services
    .filter(({ status }) => status !== 'healthy' && status !== 'stopped')
    .map(({ name, lastExit }) => ({ name, reason: lastExit }));
  const address = settings.temporalAddress ?? temporalAddress;
  return { temporal: address === null ? 'it was never started' : await silence(address, settings), restarting };
}

/** Null: the server answers. */
async function silence(
  address: string,
  { home, temporalAddress, temporalNamespace, env }: Settings,
): Promise<string | null> {
  try {
    const paths = servicePaths(home);
    const withTls = readServicesFile(paths.layout.servicesFile)?.temporalTls === true;
    const own = withTls ? temporalVariables(paths) : {};
    const access = temporalAccess(temporalAddress === undefined ? own : env, (path) => readFileSync(path));
    const answer = await probeTemporal(address, temporalNamespace, ANSWER_MS, access);
    if (answer.kind === 'ok') return null;
    const reason = answer.kind === 'no_namespace' ? `it has no namespace '${temporalNamespace}'` : answer.reason;
    return `${address}: ${reason}`;
  } catch (error) {
    return `${address}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
