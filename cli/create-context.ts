import type { Client } from '@temporalio/client';
import type { Database } from '../db/index.js';
import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/services.js';
import { withoutTemporalAccess } from '../domain/temporal-access.js';
import { checkGpus } from './check-gpus.js';
import type { CliContext, CliOutput, CliSettings } from './context.js';

// The clients of Temporal and PostgreSQL are loaded on first use: `bench --help` need not wait for them.

async function connectTemporalOf(endpoints: ServiceEndpoints, env: CliSettings['env']): Promise<Client> {
  const { connectTemporal } = await import('./connect-temporal.js');
  return connectTemporal(endpoints, env);
}

async function connectDatabase({ databaseUrl }: ServiceEndpoints): Promise<Database> {
  const { openDatabase } = await import('../db/index.js');
  return openDatabase(databaseUrl, { max: 4 });
}

/** A worker with settings that it refuses would replace one that works, and not come up. */
async function checkWorkerSettings({ env, temporalAddress }: CliSettings, looksOnly: boolean): Promise<void> {
  const { workerSettings } = await import('../worker/settings.js');
  const given = temporalAddress === undefined ? withoutTemporalAccess(env) : env;
  // Both are added by whoever starts the worker.
  const { gpus } = workerSettings({ ...given, DATABASE_URL: 'postgres:', TEMPORAL_ADDRESS: 'given' });
  // The driver may take a second to answer.
  if (!looksOnly) await checkGpus(gpus);
}

export interface ClosableContext extends CliContext {
  /** 0 unless a command said otherwise. */
  readonly exitCode: number;
  close(): Promise<void>;
}

/** Services, database and Temporal: opened at most once each, on first use. */
export function createContext(settings: CliSettings, output: CliOutput): ClosableContext {
  let services: Promise<ServiceEndpoints> | null = null;
  let database: Promise<Database> | null = null;
  let temporal: Promise<Client> | null = null;
  let exitCode = 0;
  let looksOnly = false;
  const ensure = async (worker: CliSettings['worker'], renewWorker = false): Promise<ServiceEndpoints> => {
    const [{ ensureServices }, { migrate, schemaState }, { modelVariables }] = await Promise.all([
      import('../services/index.js'),
      import('../db/index.js'),
      import('../registry/index.js'),
    ]);
    if (worker === 'embedded') await checkWorkerSettings(settings, looksOnly);
    return ensureServices({
      settings: { ...settings, worker, modelVariables: modelVariables(settings.configsDir) },
      renewWorker,
      migrate,
      looksOnly,
      refuseNewer: async (databaseUrl) => {
        await schemaState(databaseUrl).catch((error: unknown) => {
          if (error instanceof BenchError && error.type === 'usage') throw error;
        });
      },
      claimNamespace: async (endpoints) => {
        const { claimNamespaceOf } = await import('./claim-namespace.js');
        await claimNamespaceOf(endpoints, settings);
      },
      onProgress: (line) => output.log(output.logColors.dim(line)),
    });
  };

  const close = async (): Promise<void> => {
    const [openedDatabase, openedTemporal] = [database, temporal];
    services = database = temporal = null;
    await openedDatabase?.then((opened) => opened.close()).catch(() => undefined);
    await openedTemporal?.then((opened) => opened.connection.close()).catch(() => undefined);
  };
  // A promise is kept only while it has not failed: the next use tries again.
  const context: ClosableContext = {
    settings,
    output,
    services() {
      const opened = services ?? ensure(settings.worker);
      opened.catch(() => {
        if (services === opened) services = null;
      });
      return (services = opened);
    },
    renewWorker: () => ensure(settings.worker, true),
    servicesWithoutWorker: () => ensure('external'),
    database() {
      const opened = database ?? context.services().then(connectDatabase);
      opened.catch(() => {
        if (database === opened) database = null;
      });
      return (database = opened);
    },
    temporal() {
      const opened = temporal ?? context.services().then((endpoints) => connectTemporalOf(endpoints, settings.env));
      opened.catch(() => {
        if (temporal === opened) temporal = null;
      });
      return (temporal = opened);
    },
    async refreshServices() {
      const before = await context.services();
      const now = await ensure(settings.worker);
      const addresses = ({ databaseUrl, temporalAddress, temporalVariables }: ServiceEndpoints) =>
        JSON.stringify([databaseUrl, temporalAddress, temporalVariables]);
      const moved = addresses(before) !== addresses(now);
      if (moved) await close();
    },
    looksOnly() {
      looksOnly = true;
    },
    reconnect: close,
    setExitCode(code) {
      exitCode = code;
    },
    onInterrupt() {
      const controller = new AbortController();
      process.once('SIGINT', () => controller.abort());
      return controller.signal;
    },
    get exitCode() {
      return exitCode;
    },
    close,
  };
  return context;
}
