import { Client, Connection } from '@temporalio/client';
import { migrate, openDatabase } from '../db/index.js';
import type { Database } from '../db/index.js';
import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/services.js';
import { ensureServices } from '../services/index.js';
import type { CliContext, CliOutput, CliSettings } from './context.js';
import { asBenchError } from './errors.js';

/** A database address without its password, for messages. */
function withoutPassword(databaseUrl: string): string {
  try {
    const url = new URL(databaseUrl);
    return `${url.hostname}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
}

async function connectDatabase(endpoints: ServiceEndpoints): Promise<Database> {
  try {
    await migrate(endpoints.databaseUrl);
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError(
      'services',
      `the database at ${withoutPassword(endpoints.databaseUrl)} cannot be used: ${asBenchError(cause).message}`,
      {
        remedy: endpoints.embedded.postgres
          ? '`bench doctor` says what is wrong with the embedded server.'
          : 'Correct DATABASE_URL, or start that server, or unset DATABASE_URL to use the embedded one.',
        cause,
      },
    );
  }
  return openDatabase(endpoints.databaseUrl, { max: 4 });
}

async function connectTemporal(endpoints: ServiceEndpoints): Promise<Client> {
  try {
    const connection = await Connection.connect({ address: endpoints.temporalAddress, connectTimeout: '10 seconds' });
    return new Client({ connection, namespace: endpoints.temporalNamespace });
  } catch (cause) {
    throw new BenchError('services', `Temporal does not answer at ${endpoints.temporalAddress}`, {
      remedy: endpoints.embedded.temporal
        ? '`bench doctor` says what is wrong with the embedded server.'
        : 'Correct TEMPORAL_ADDRESS, or start that server, or unset TEMPORAL_ADDRESS to use the embedded one.',
      cause,
    });
  }
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

  /** Keep a promise only while it has not failed: the next use tries again. */
  const close = async (): Promise<void> => {
    const [openedDatabase, openedTemporal] = [database, temporal];
    services = database = temporal = null;
    await openedDatabase?.then((opened) => opened.close()).catch(() => undefined);
    await openedTemporal?.then((opened) => opened.connection.close()).catch(() => undefined);
  };
  const context: ClosableContext = {
    settings,
    output,
    services() {
      services ??= ensureServices(context).catch((error: unknown) => {
        services = null;
        throw error;
      });
      return services;
    },
    database() {
      database ??= context
        .services()
        .then(connectDatabase)
        .catch((error: unknown) => {
          database = null;
          throw error;
        });
      return database;
    },
    temporal() {
      temporal ??= context
        .services()
        .then(connectTemporal)
        .catch((error: unknown) => {
          temporal = null;
          throw error;
        });
      return temporal;
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
