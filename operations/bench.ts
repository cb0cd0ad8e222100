import type { Client } from '@temporalio/client';
import type { Database } from '../db/index.js';
import type { Stores } from '../domain/ports/stores.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import type { Notice } from './notices.js';
import type { BenchSettings } from './settings.js';

/**
 * One home: its settings, stores, services and Temporal client, each opened on first use. The command line, a server or a program that
 * imports `durabench` opens one with `openBench` and closes it. A verb does not take all of it: its first parameter names the parts
 * that it uses, as `{ queries }: { queries: RunReads }`.
 */
export interface Bench extends Stores {
  readonly settings: BenchSettings;
  /** Passes a notice to the caller, which puts it into words. */
  notify(notice: Notice): void;
  /** Runs work that takes minutes and cleans up after itself when its signal is aborted; whether it ever is, is the caller's choice. */
  abortable<T>(what: LongWork, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Starts the embedded services that the settings do not name, and returns where all of them answer. */
  services(): Promise<ServiceEndpoints>;
  /** Where the database answers: as `services`, but a Temporal or a worker that is away is not waited for. */
  databaseUrl(): Promise<string>;
  /** The same as `services`; a running worker takes over settings that have changed since it was started. For operations that give it work. */
  renewWorker(): Promise<ServiceEndpoints>;
  /** The same as `services`, but starts no worker: for a process that is one itself. */
  servicesWithoutWorker(): Promise<ServiceEndpoints>;
  /** The migrated database, as `databaseUrl`: reading the record needs nothing else. */
  database(): Promise<Database>;
  /** Reads the record without starting anything, for dry runs; null where no database answers. */
  ifDatabaseAnswers<T>(read: (stores: Stores) => Promise<T>): Promise<T | null>;
  /** Services, then a connected Temporal client. */
  temporal(): Promise<Client>;
  /** Ensures the services again, as after one of them died, as `databaseUrl` does; connections stay open if they answer where they did. */
  refreshServices(): Promise<void>;
  /** From now on, do not start services that `bench down` stopped: this caller is read-only. */
  looksOnly(): void;
  /** Closes connections: the next use ensures services and connects again. */
  reconnect(): Promise<void>;
  /** Closes connections for good; services keep running. */
  close(): Promise<void>;
}

/** Work that may take minutes: image builds, on their own or before a batch is stored. */
export type LongWork = 'image-build' | 'batch-images';
