import { BenchError } from '../domain/errors.js';
import type { TemporalAccess } from '../domain/home/temporal-access.js';
import { probePostgres } from './postgres-probe.js';
import { probeTemporal } from './temporal-probe.js';

export function withoutPassword(databaseUrl: string): string {
  try {
    const url = new URL(databaseUrl);
    if (url.password !== '') url.password = '***';
    if (url.searchParams.has('password')) url.searchParams.set('password', '***');
    return url.toString();
  } catch {
    return '(not a URL)';
  }
}

/** Does not check credentials: the first real connection does; see `databaseError`. */
export async function checkExternalDatabase(databaseUrl: string): Promise<void> {
  let url: URL;
  try {
    url = new URL(databaseUrl);
  } catch {
    throw new BenchError('services', 'DATABASE_URL is not a URL', { code: 'setting.invalid', remedy: DATABASE_REMEDY });
  }
  if (!['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new BenchError('services', `DATABASE_URL is not a PostgreSQL URL: it starts with ${url.protocol}//`, {
      code: 'setting.invalid',
      remedy: DATABASE_REMEDY,
    });
  }
  // A host parameter names a socket directory or several hosts: left to the driver.
  if (url.hostname === '' || url.searchParams.has('host')) return;
  const user = decodeURIComponent(url.username) || 'postgres';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  const port = url.port === '' ? 5432 : Number(url.port);
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  const tls = !['disable', 'allow', 'prefer'].includes(mode);
  const answer = await probePostgres({ host, port, user, database, tls }, 5000);
  if (answer === 'ready') return;
  const what = answer === 'busy' ? 'is starting up or shutting down' : 'does not answer';
  throw new BenchError('services', `the PostgreSQL at DATABASE_URL ${what}: ${withoutPassword(databaseUrl)}`, {
    code: 'database.unreachable',
    remedy: DATABASE_REMEDY,
  });
}

const DATABASE_REMEDY =
  'correct DATABASE_URL (postgresql://user:password@host:5432/database), start that server, or unset the variable to ' +
  'use the embedded one';

/** Explains a failure by its PostgreSQL or system code, without the password. */
export function databaseError(databaseUrl: string, error: unknown): BenchError {
  if (error instanceof BenchError) return error;
  const shown = withoutPassword(databaseUrl);
  const code = codeOf(error);
  const reasons: Record<string, string> = {
    '28P01': 'wrong user or password',
    '28000': 'this user may not connect',
    '3D000': 'this database does not exist',
    '42501': 'this user may not create tables there',
    ECONNREFUSED: 'connection refused',
    ENOTFOUND: 'no such host',
    EAI_AGAIN: 'the host name cannot be resolved',
    ETIMEDOUT: 'no answer',
  };
  const reason = (code === null ? undefined : reasons[code]) ?? `it failed (${code ?? nameOf(error)})`;
  return new BenchError('services', `cannot use the database ${shown}: ${reason}`, {
    code: 'database.unreachable',
    remedy: DATABASE_REMEDY,
    cause: error,
  });
}

function codeOf(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    if (at instanceof AggregateError) {
      const inner = at.errors.map(codeOf).find((found) => found !== null);
      if (inner != null) return inner;
    }
  }
  return null;
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown');

export async function checkExternalTemporal(address: string, namespace: string, access: TemporalAccess): Promise<void> {
  const answer = await probeTemporal(address, namespace, 15_000, access);
  if (answer.kind === 'no_namespace') {
    throw new BenchError('services', `the Temporal server at ${address} has no namespace '${namespace}'`, {
      code: 'temporal.unreachable',
      remedy: `create it (temporal operator namespace create ${namespace}), or correct TEMPORAL_NAMESPACE`,
    });
  }
  if (answer.kind === 'unavailable') {
    throw new BenchError('services', `no Temporal server answers at ${address}: ${answer.reason}`, {
      code: 'temporal.unreachable',
      remedy:
        'correct TEMPORAL_ADDRESS (host:port) and the TEMPORAL_TLS… variables, start that server, or unset the variable to use the embedded one',
    });
  }
}
