import type { Client } from '@temporalio/client';
import type { Colors } from 'picocolors/types.js';
import type { Database } from '../db/index.js';
import type { HomeLayout } from '../domain/home-layout.js';
import type { ServiceEndpoints } from '../domain/services.js';

/** Everything that the environment and `.env` files say, read once by cli/main.ts. */
export interface CliSettings {
  /** Absolute path of `$BENCH_HOME`. */
  home: string;
  layout: HomeLayout;
  /** The package's own folder: configs/, images/, db/migrations beside package.json. */
  assetsRoot: string;
  /** Tasks, agents and suites: `$BENCH_CONFIGS`, else `configs/` of the package. */
  configsDir: string;
  /** Set: this Postgres is used and none is started. */
  databaseUrl?: string;
  /** The schema's owner, for migrations and roles alone; no process that we start gets to see it. */
  adminDatabaseUrl?: string;
  /** Set: this Temporal is used and none is started. */
  temporalAddress?: string;
  temporalNamespace: string;
  /** Downloaded or built binaries and images' contexts, shared by all homes of this user. */
  cacheDir: string;
  /** `external`: workers run elsewhere (compose, other hosts), none is started here. */
  worker: 'embedded' | 'external';
  /** Copy of the environment, `.env` files included, for processes that the CLI starts. */
  env: Readonly<Record<string, string>>;
  /** Program and arguments that run a worker. */
  workerCommand: readonly string[];
}

/** stdout belongs to results, stderr to everything else. No text that is given to it drives the terminal: see terminal-text. */
export interface CliOutput {
  /** `--json` was given: `print` is silent, `json` writes the one document. */
  readonly jsonMode: boolean;
  /** stdout is a terminal that can be redrawn. */
  readonly interactive: boolean;
  /** stderr is a terminal that can be redrawn. */
  readonly logInteractive: boolean;
  /** Columns and rows of the terminal; 120 and 40 where there is none. */
  readonly width: number;
  readonly height: number;
  /** For text on stdout. */
  readonly colors: Colors;
  /** For text on stderr. */
  readonly logColors: Colors;
  /** A line (or block) for people on stdout; nothing with `--json`. */
  print(text: string): void;
  /** Text on stdout without a line end, for what redraws itself; nothing with `--json`. */
  draw(text: string): void;
  /** A file's content on stdout, byte for byte where that is no terminal; nothing with `--json`. */
  data(text: string): void;
  /** The command's one JSON document on stdout; nothing without `--json`. A second call is a programming error. */
  json(document: unknown): void;
  /** A line on stderr: notices, progress. */
  log(text: string): void;
  /** Text on stderr without a line end, for progress that redraws itself. */
  drawLog(text: string): void;
}

/** What a command may use; services, database and Temporal are opened on first use and closed at exit. */
export interface CliContext {
  readonly settings: CliSettings;
  readonly output: CliOutput;
  /** Start the embedded services that the environment does not name, and say where all answer. */
  services(): Promise<ServiceEndpoints>;
  /** The same, and a setting that only the running worker has is taken from it: for a command that gives it work. Keys stay. */
  renewWorker(): Promise<ServiceEndpoints>;
  /** The same, but no worker is started here: for a command that is one itself. */
  servicesWithoutWorker(): Promise<ServiceEndpoints>;
  /** Services, then the migrated database. */
  database(): Promise<Database>;
  /** Services, then a connected Temporal client. */
  temporal(): Promise<Client>;
  /** Ensure the services again, as after something died; connections stay open if they answer where they did. */
  refreshServices(): Promise<void>;
  /** From now on, services that `bench down` stopped are not started: the command only looks. */
  looksOnly(): void;
  /** Forget open connections: the next use ensures services and connects again. */
  reconnect(): Promise<void>;
  /** The work failed, or was left (130: Ctrl-C), in a way that was already told: exit so at the end. */
  setExitCode(code: 1 | 2 | 130): void;
  /** Aborted at the first Ctrl-C, if the command asked for it by calling this; else Ctrl-C ends the process. */
  onInterrupt(): AbortSignal;
}
