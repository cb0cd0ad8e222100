import { BenchError, InfrastructureError } from '../domain/errors.js';

const CONNECTION_CODES = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'EAI_AGAIN'];
/** Connection failures, shutdown, starting up, too many connections. */
const isPostgresOutage = (code: string): boolean => /^(08|57P)/.test(code) || code === '53300';

function codes(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const { code } = error as { code?: unknown };
  const inner = error instanceof AggregateError ? error.errors : [];
  return [
    ...(typeof code === 'string' && !(error instanceof BenchError) ? [code] : []),
    ...[error.cause, ...(inner as unknown[])].flatMap((cause) => codes(cause, depth + 1)),
  ];
}

/** A service is down or stopping: a retry may succeed once it is up again. */
export function isOutage(error: unknown): boolean {
  if (error instanceof BenchError) return error.type === 'services';
  // Statements of the stores throw this.
  if (error instanceof InfrastructureError) return true;
  if (codes(error).some((code) => CONNECTION_CODES.includes(code) || isPostgresOutage(code))) return true;
  if (!(error instanceof Error)) return false;
  // The pg pool and Temporal's client have no codes for these.
  return (
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    ) ||
    ['ServiceError', 'TransportError', 'ConnectionError'].includes(error.name) ||
    /UNAVAILABLE|Failed to connect before the deadline|Deadline exceeded/i.test(error.message)
  );
}

export function asBenchError(error: unknown): BenchError {
  if (error instanceof BenchError) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  if (isOutage(error)) {
    return new BenchError('services', `a service stopped answering: ${message}`, {
      code: 'services.connection_lost',
      remedy: 'Run `bench doctor` to see which one and why; then run the command again.',
      cause: error,
    });
  }
  const code = codes(error)[0];
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new BenchError('failed', message, {
      code: 'file.unwritable',
      remedy: 'Give this user write permission there, or choose another BENCH_HOME.',
      cause: error,
    });
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BenchError('failed', message, {
      code: 'disk.full',
      remedy: 'Free space on that disk, then run the command again.',
      cause: error,
    });
  }
  return new BenchError('failed', message, {
    code: 'unexpected',
    remedy: 'This is unexpected. Run it again with BENCH_DEBUG=1 for details.',
    cause: error,
  });
}
