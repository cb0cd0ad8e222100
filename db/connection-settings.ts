import { BenchError } from '../domain/errors.js';

export function connectionSettings(databaseUrl: string) {
  describeDatabase(databaseUrl);
  return {
    connectionString: databaseUrl,
    application_name: 'bench',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  };
}

/** Host, port and database: for messages, since a URL may contain a password. */
export function describeDatabase(databaseUrl: string): string {
  let url: URL;
  try {
    url = new URL(databaseUrl);
  } catch {
    throw notAUrl();
  }
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') throw notAUrl();
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  return `${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`;
}

const notAUrl = () =>
  new BenchError('usage', 'DATABASE_URL is not a PostgreSQL URL', {
    code: 'setting.invalid',
    remedy: 'Write it as postgres://user:password@host:5432/database, or unset it to use the embedded database.',
  });
