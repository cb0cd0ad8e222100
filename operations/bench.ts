import type { Client } from '@temporalio/client';
import type { Database } from '../db/index.js';
import type { Stores } from '../domain/ports/stores.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import type { Notice } from './notices.js';
import type { BenchSettings } from './settings.js';

/**
 * One home: its settings, stores, services and Temporal client, each opened on first use. A verb
 * takes only the parts that it uses: `{ queries }: { queries: RunReads }`.
 */
export interface Bench extends Stores {
  readonly settings: BenchSettings;
  /** Passes a notice to the caller, which renders it. */
  notify(notice: Notice): void;
  /** Runs long work that cleans up when its signal is aborted; the caller may abort it. */
  abortable<T>(what: LongWork, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Starts the services that the settings do not name; returns once all answer. */
  services(): Promise<ServiceEndpoints>;
  /** The database's address, like `services`, without waiting for Temporal or a worker. */
  databaseUrl(): Promise<string>;
  /** Like `services`, for verbs that give the worker work: it adopts changed settings. */
  renewWorker(): Promise<ServiceEndpoints>;
  /** Like `services`, but starts no worker: for a process that is one itself. */
  servicesWithoutWorker(): Promise<ServiceEndpoints>;
  /** The migrated database, like `databaseUrl`: enough to read the record. */
  database(): Promise<Database>;
  /** Reads the record and starts nothing, for dry runs; null where no database answers. */
  ifDatabaseAnswers<T>(read: (stores: Stores) => Promise<T>): Promise<T | null>;
  temporal(): Promise<Client>;
  /** Restarts services that died, like `databaseUrl`; keeps connections to unchanged addresses. */
  refreshServices(): Promise<void>;
  /** This caller only reads: do not start services that `bench down` stopped. */
  looksOnly(): void;
  /** Closes connections: the next use ensures services and connects again. */
  reconnect(): Promise<void>;
  /** Closes connections; services keep running. */
  close(): Promise<void>;
}

export type LongWork = 'image-build' | 'batch-images';
