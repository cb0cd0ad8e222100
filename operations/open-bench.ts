import type { Client } from '@temporalio/client';
import type { Database } from '../db/index.js';
import { once } from '../domain/once.js';
import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import type { DatabaseEndpoint, EnsureOptions } from '../services/index.js';
import type { Bench } from './bench.js';
import { useProxies } from '../transport/proxies.js';
import { checkGpus } from './home/check-gpus.js';
import type { BenchSettings } from './settings.js';
import { storesOf } from './stores-of.js';

// Loads the clients of Temporal and PostgreSQL on first use: help need not wait for them.

async function connectTemporalOf(endpoints: ServiceEndpoints, env: BenchSettings['env']): Promise<Client> {
  const { connectTemporal } = await import('../temporal/connect.js');
  return connectTemporal(endpoints, env);
}

async function connectDatabase(databaseUrl: string): Promise<Database> {
  const { openDatabase } = await import('../db/index.js');
  return openDatabase(databaseUrl, { max: 4 });
}

/** A worker with settings that it refuses would replace a working one and fail to start. */
async function checkWorkerSettings(settings: BenchSettings, looksOnly: boolean): Promise<void> {
  const { startableSettings } = await import('./home/worker-settings.js');
  const { gpus } = startableSettings(settings);
  // The driver may take a second to answer.
  if (!looksOnly) await checkGpus(gpus);
}

/** How a caller takes part; by default operations run silently to their end. */
export interface BenchHooks {
  notify?: Bench['notify'];
  abortable?: Bench['abortable'];
}

/** One home. Services, database and Temporal are opened at most once each, on first use. */
export function openBench(settings: BenchSettings, hooks: BenchHooks = {}): Bench {
  useProxies(settings.env);
  const notify = hooks.notify ?? (() => undefined);
  const abortable = hooks.abortable ?? ((_what, work) => work(new AbortController().signal));
  let looksOnly = false;
  const options = (worker: BenchSettings['worker'], renewWorker: boolean): Promise<EnsureOptions> =>
    ensureOptions(settings, { worker, renewWorker, looksOnly, notify });
  const ensure = async (worker: BenchSettings['worker'], renewWorker = false): Promise<ServiceEndpoints> => {
    const { ensureServices } = await import('../services/index.js');
    return ensureServices(await options(worker, renewWorker));
  };
  const ensureReading = async (): Promise<DatabaseEndpoint> => {
    const { ensureDatabase } = await import('../services/index.js');
    return ensureDatabase(await options(settings.worker, false));
  };
  const services = once(() => ensure(settings.worker));
  const reading = once(ensureReading);
  /** From the services if these are known. */
  const databaseEndpoint = (): Promise<DatabaseEndpoint> =>
    services.known()?.then((endpoints) => ({ databaseUrl: endpoints.databaseUrl, endpoints })) ?? reading();
  const database = once(async () => connectDatabase((await databaseEndpoint()).databaseUrl));
  const temporal = once(async () => connectTemporalOf(await services(), settings.env));

  const close = async (): Promise<void> => {
    const [openedDatabase, openedTemporal] = [database.known(), temporal.known()];
    for (const each of [services, reading, database, temporal]) each.forget();
    await openedDatabase?.then((opened) => opened.close()).catch(() => undefined);
    await openedTemporal?.then((opened) => opened.connection.close()).catch(() => undefined);
  };
  const bench: Bench = {
    ...storesOf(() => bench.database()),
    settings,
    notify,
    abortable,
    services,
    databaseUrl: async () => (await databaseEndpoint()).databaseUrl,
    renewWorker: () => ensure(settings.worker, true),
    servicesWithoutWorker: () => ensure('external'),
    database,
    async ifDatabaseAnswers(read) {
      return (await import('./if-database-answers.js')).ifDatabaseAnswers(settings, read);
    },
    temporal,
    async refreshServices() {
      const before = await databaseEndpoint();
      const now = await ensureReading();
      const temporalOf = ({ temporalAddress, temporalVariables }: ServiceEndpoints) =>
        JSON.stringify([temporalAddress, temporalVariables]);
      const moved =
        before.databaseUrl !== now.databaseUrl ||
        (before.endpoints !== null &&
          now.endpoints !== null &&
          temporalOf(before.endpoints) !== temporalOf(now.endpoints));
      if (moved) await close();
    },
    looksOnly() {
      looksOnly = true;
    },
    reconnect: close,
    close,
  };
  return bench;
}

interface Ensured {
  worker: BenchSettings['worker'];
  renewWorker: boolean;
  looksOnly: boolean;
  notify: Bench['notify'];
}

/** Modules are loaded here, because most commands start no services. */
async function ensureOptions(
  settings: BenchSettings,
  { worker, renewWorker, looksOnly, notify }: Ensured,
): Promise<EnsureOptions> {
  const [{ migrate, schemaState }, { modelVariables }] = await Promise.all([
    import('../db/index.js'),
    import('../catalog/model-variables.js'),
  ]);
  if (worker === 'embedded') await checkWorkerSettings(settings, looksOnly);
  return {
    settings: { ...settings, worker, modelVariables: modelVariables(settings.configFolders) },
    renewWorker,
    migrate,
    looksOnly,
    schemaOf: async (databaseUrl) => {
      try {
        return (await schemaState(databaseUrl)).state;
      } catch (error) {
        if (error instanceof BenchError && error.type === 'usage') throw error;
        return null;
      }
    },
    registerSearchAttributes: async (...at) =>
      (await import('../temporal/search-attributes.js')).registerSearchAttributes(...at),
    claimNamespace: async (endpoints) => {
      const { claimNamespaceOf } = await import('./home/claim-namespace.js');
      await claimNamespaceOf(endpoints, settings);
    },
    onProgress: (line) => notify({ code: 'progress', line }),
  };
}
