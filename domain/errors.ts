import type { ConfigProblem } from './views/validated-file.js';
import type { ErrorCode } from './error-codes.js';

/** Errors that people see. `message` says what failed; `remedy` says what to do next. No secrets, no query parameters. */

export type BenchErrorType =
  | 'usage' // bad arguments, bad config: exit code 2
  | 'not_found' // an unknown id: exit code 2
  | 'conflict' // a name that is taken: exit code 2
  | 'services' // Temporal, Postgres, the engine are not reachable: exit code 1
  | 'failed'; // the work itself failed: exit code 1

/** Options of the request, by name, that a remedy is about, with a value where it suggests one. The caller's interface says how to give them. */
export type RemedyFields = Readonly<Record<string, string | true>>;

interface BenchErrorOptions {
  /** What exactly is wrong, for programs: `batch.name_taken`. Default: the type. */
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
  /** 2 for what the caller must change in the command or a file, else 1. */
  get exitCode(): 1 | 2 {
    return this.type === 'services' || this.type === 'failed' ? 1 : 2;
  }
}

/** A run's container is gone or cannot be restarted, and its effects are lost. */
export class SandboxLost extends Error {
  override name = 'SandboxLost';
}

/** The run's host leaves as announced: the run continues elsewhere. */
export class HostLeft extends Error {
  override name = 'HostLeft';
}

/** The engine, the image or the disk failed: never the agent's fault. Retried, then `infra_error`. */
export class InfrastructureError extends Error {
  override name = 'InfrastructureError';
}

/** PostgreSQL does not answer, and with it nothing else has failed. */
export class DatabaseAway extends InfrastructureError {
  override name = 'DatabaseAway';
}

/** PostgreSQL refuses the values of a row, as it will each time: what they came from fails, and nothing else. */
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

/** The home's disk has no room for what the run may write, so the run waits. */
export class NoRoom extends InfrastructureError {
  override name = 'NoRoom';
}

/** Not the agent's fault either, but no retry can help: ends the run as `infra_error` at once. */
export class Unrecoverable extends Error {
  override name = 'Unrecoverable';
}

/**
 * Another attempt has taken over the run's steps: this one writes nothing more. Retried: an attempt
 * that Temporal still waits for takes over again.
 */
export class Superseded extends Error {
  override name = 'Superseded';
}

/** The run or its lease has moved on; work for an earlier epoch stops. Never retried. */
export class Stale extends Error {
  override name = 'Stale';
}

/** `<file>:<line>: <key>: <message>` */
export const problemLine = ({ file, line, key, message }: ConfigProblem): string =>
  `${file}${line === null ? '' : `:${line}`}: ${key === '' ? '' : `${key}: `}${message}`;
