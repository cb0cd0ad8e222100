import { BenchError, DatabaseAway, InfrastructureError, RefusedRow } from '../domain/errors.js';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // unix socket
]);
/** pg's messages, without a code, for a lost server or network. */
const LOST_CONNECTION =
  /connection terminated|connection ended|timeout exceeded when trying to connect|client has encountered a connection error|client was closed|read timeout/i;

interface ErrorFields {
  code: string | undefined;
  constraint: string | undefined;
  table: string | undefined;
  message: string;
}

/** From the innermost cause; never with a parameter. */
export function errorFields(error: unknown): ErrorFields {
  let inner = error;
  while (inner instanceof Error && !('code' in inner) && inner.cause instanceof Error) inner = inner.cause;
  const fields = (inner ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return {
    code: text('code'),
    constraint: text('constraint'),
    table: text('table'),
    message: inner instanceof Error ? inner.message : String(inner),
  };
}

/** The server went away, refused, or ran out of something: a retry may succeed. */
export function isInfrastructureProblem(error: unknown): boolean {
  const { code, message } = errorFields(error);
  if (code === undefined) return LOST_CONNECTION.test(message);
  // Connection, resources, operator intervention (shutdown, restart, cancel), system error.
  return NETWORK_CODES.has(code) || /^(08|53|57|58)[0-9A-Z]{3}$/.test(code);
}

const TLS_CODE = /^(ERR_(SSL|TLS|OSSL)_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_)/;

/** No retry can fix it. */
export function isTlsProblem(error: unknown): boolean {
  const { code, message } = errorFields(error);
  return TLS_CODE.test(code ?? '') || /server does not support SSL/i.test(message);
}

/** A conflict of two writers: the statement had no effect and can be repeated. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(errorFields(error).code ?? '');
}

/** A bad value, null or CHECK. Not keys, which depend on other writers. */
const isRefusedRow = (code = ''): boolean => code.startsWith('22') || code === '23502' || code === '23514';

/** Without values, which server messages quote, and parameters, which drivers attach. */
function describe(error: unknown): string {
  const { code, constraint, table, message } = errorFields(error);
  if (isTlsProblem(error)) return message;
  if (code === undefined)
    return LOST_CONNECTION.test(message) ? message.toLowerCase() : 'unexpected error in the driver';
  const where = [table && `table ${table}`, constraint && `constraint ${constraint}`].filter(Boolean).join(', ');
  return `${NETWORK_CODES.has(code) ? code : `SQLSTATE ${code}`}${where === '' ? '' : ` (${where})`}`;
}

/** For activities. Without a cause: failures store causes, which contain parameters. */
export function storeError(operation: string, error: unknown): Error {
  if (error instanceof BenchError || error instanceof InfrastructureError) return error;
  if (isInfrastructureProblem(error)) return new DatabaseAway(`Postgres: ${operation} failed: ${describe(error)}`);
  const { code, constraint } = errorFields(error);
  const message = `Postgres: ${operation} failed: ${describe(error)}`;
  if (isRefusedRow(code)) return new RefusedRow(message, code, constraint);
  return Object.assign(new Error(message), { name: 'DatabaseError', code, constraint });
}

/** `where` names the database without its password. */
export function connectionError(where: string, error: unknown): BenchError {
  const { code } = errorFields(error);
  const remedy = 'Check DATABASE_URL, or unset it to use the embedded database (`bench up`).';
  if (code === '28P01' || code === '28000')
    return new BenchError('services', `Postgres at ${where} refuses the user or password (${code})`, {
      code: 'database.access_denied',
      remedy,
    });
  if (code === '3D000')
    return new BenchError('services', `Postgres at ${where}: that database does not exist`, {
      code: 'database.unreachable',
      remedy,
    });
  if (isTlsProblem(error))
    return new BenchError('services', `Postgres at ${where}: TLS fails: ${describe(error)}`, {
      code: 'database.access_denied',
      remedy: 'Correct sslmode and sslrootcert in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/ca.pem',
    });
  return new BenchError('services', `Postgres at ${where} does not answer: ${describe(error)}`, {
    code: 'database.unreachable',
    remedy,
  });
}

export function queryError(operation: string, error: unknown): Error {
  if (error instanceof BenchError) return error;
  if (isInfrastructureProblem(error))
    return new BenchError('services', `Postgres: ${operation} failed: ${describe(error)}`, {
      code: 'database.unreachable',
      remedy: 'Run `bench doctor`; `bench up` restarts the embedded database.',
    });
  if (['42P01', '42703', '42883'].includes(errorFields(error).code ?? ''))
    return new BenchError('services', `Postgres: ${operation} failed: the schema does not match this program`, {
      code: 'database.outdated',
      remedy: 'Run `bench up`, which brings the schema up to date.',
    });
  return new BenchError('failed', `Postgres: ${operation} failed: ${describe(error)}`);
}
