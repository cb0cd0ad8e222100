import type { ConfigProblem } from './views/validated-file.js';
import type { ErrorCode } from './error-codes.js';

/** For people. `message`: what failed; `remedy`: what to do. No secrets, no query parameters. */

export type BenchErrorType =
  | 'usage' // bad arguments, bad config: exit code 2
  | 'not_found' // an unknown id: exit code 2
  | 'conflict' // a name that is taken: exit code 2
  | 'services' // Temporal, Postgres, the engine are not reachable: exit code 1
  | 'failed'; // the work itself failed: exit code 1

/** Request options that a remedy names, with a suggested value; each interface spells them. */
export type RemedyFields = Readonly<Record<string, string | true>>;

interface BenchErrorOptions {
  /** For programs: `batch.name_taken`. Default: the type. */
  code?: ErrorCode;
  remedy?: string | undefined;
  fields?: RemedyFields;
  cause?: unknown;
}

export class BenchError extends Error {
  readonly type: BenchErrorType;
  readonly code: ErrorCode | BenchErrorType;
  readonly remedy: string | undefined;
  readonly fields: RemedyFields;
  constructor(type: BenchErrorType, message: string, options: BenchErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'BenchError';
    this.type = type;
    this.code = options.code ?? type;
    this.remedy = options.remedy;
    this.fields = options.fields ?? {};
  }
  /** 2 if the caller must change the command or a file, else 1. */
  get exitCode(): 1 | 2 {
    return this.type === 'services' || this.type === 'failed' ? 1 : 2;
  }
}

/** The container is gone or cannot be restarted, and its effects are lost. */
export class SandboxLost extends Error {
  override name = 'SandboxLost';
}

/** The host leaves as announced: the run continues elsewhere. */
export class HostLeft extends Error {
  override name = 'HostLeft';
}

/** The engine, image or disk failed, never the agent. Retried, then `infra_error`. */
export class InfrastructureError extends Error {
  override name = 'InfrastructureError';
}

export class DatabaseAway extends InfrastructureError {
  override name = 'DatabaseAway';
}

/** PostgreSQL always refuses these values: only their source fails. */
export class RefusedRow extends Error {
  override name = 'DatabaseError';
  constructor(
    message: string,
    readonly code: string | undefined,
    readonly constraint: string | undefined,
  ) {
    super(message);
  }
}

/** The home's disk lacks room for the run, so the run waits. */
export class NoRoom extends InfrastructureError {
  override name = 'NoRoom';
}

/** Not the agent's fault, and retries cannot help: the run ends as `infra_error` at once. */
export class Unrecoverable extends Error {
  override name = 'Unrecoverable';
}

/** Another attempt took over. Retried: an attempt that Temporal waits for takes over again. */
export class Superseded extends Error {
  override name = 'Superseded';
}

/** The run or its lease has moved on; work for an earlier epoch stops. Never retried. */
export class Stale extends Error {
  override name = 'Stale';
}

/** No supervisor answers in this control directory: the sandbox is stopped, gone, or not yet up. */
export class SupervisorAway extends Error {
  override name = 'SupervisorAway';
}

/** `<file>:<line>: <key>: <message>` */
export const problemLine = ({ file, line, key, message }: ConfigProblem): string =>
  `${file}${line === null ? '' : `:${line}`}: ${key === '' ? '' : `${key}: `}${message}`;
