import { BenchError } from '../errors.js';

/**
 * Plain, or TLS with a client certificate or an API key. The SDK's connections take the fields
 * `tls` and `apiKey`. Contains secrets: never print or store it.
 */
export interface TemporalAccess {
  tls?: {
    /** Expected name in the server's certificate, if not the address's host. */
    serverNameOverride?: string;
    /** PEM; unset: the system's authorities. */
    serverRootCACertificate?: Uint8Array;
    /** PEM, both. */
    clientCertPair?: { crt: Uint8Array; key: Uint8Array };
  };
  apiKey?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Temporal's own environment configuration, besides TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE. */
const VARIABLES =
  /^TEMPORAL_(API_KEY|TLS|TLS_(CLIENT_CERT|CLIENT_KEY|SERVER_CA_CERT)_(PATH|DATA)|TLS_SERVER_NAME|TLS_DISABLE_HOST_VERIFICATION)$/;

/** Clients of the embedded server must not get settings of another one. */
export const withoutTemporalAccess = <T>(env: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !VARIABLES.test(name)));

/**
 * Certificates or an API key turn on TLS, as in Temporal's tools. Throws BenchError (usage) that
 * names the variable, never its value.
 */
export function temporalAccess(env: Env, read: (path: string) => Uint8Array): TemporalAccess {
  const said = (name: string): string | undefined => {
    const value = env[name];
    return value === undefined || value === '' ? undefined : value;
  };
  if (said('TEMPORAL_TLS_DISABLE_HOST_VERIFICATION') !== undefined)
    throw new BenchError('usage', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is set, and is not supported', {
      code: 'setting.invalid',
      remedy:
        'Name the authority of the server with TEMPORAL_TLS_SERVER_CA_CERT_PATH, and its name with TEMPORAL_TLS_SERVER_NAME.',
    });
  const pem = (what: string): Uint8Array | undefined => {
    const [path, data] = [said(`${what}_PATH`), said(`${what}_DATA`)];
    if (path !== undefined && data !== undefined)
      throw new BenchError('usage', `${what}_PATH and ${what}_DATA are both set`, {
        code: 'setting.invalid',
        remedy: 'Set one of them.',
      });
    if (path === undefined && data === undefined) return undefined;
    const name = path === undefined ? `${what}_DATA` : `${what}_PATH`;
    const bytes = path === undefined ? new TextEncoder().encode(data) : readFile(name, path, read);
    if (!new TextDecoder().decode(bytes).includes('-----BEGIN '))
      throw new BenchError('usage', `${name} contains no PEM: no line "-----BEGIN …"`, {
        code: 'setting.invalid',
        remedy: 'Give a certificate or key in PEM form.',
      });
    return bytes;
  };
  const crt = pem('TEMPORAL_TLS_CLIENT_CERT');
  const key = pem('TEMPORAL_TLS_CLIENT_KEY');
  if ((crt === undefined) !== (key === undefined)) {
    const [given, missing] = crt === undefined ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
    throw new BenchError('usage', `TEMPORAL_TLS_CLIENT_${given} is given without TEMPORAL_TLS_CLIENT_${missing}`, {
      code: 'setting.invalid',
      remedy: `Set TEMPORAL_TLS_CLIENT_${missing}_PATH too, or neither.`,
    });
  }
  const authority = pem('TEMPORAL_TLS_SERVER_CA_CERT');
  const serverName = said('TEMPORAL_TLS_SERVER_NAME');
  const apiKey = said('TEMPORAL_API_KEY');
  const implied = [crt, authority, serverName, apiKey].some((value) => value !== undefined);
  if (!switchedOn(said('TEMPORAL_TLS'), implied)) return apiKey === undefined ? {} : { apiKey };
  return {
    tls: {
      ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
      ...(authority === undefined ? {} : { serverRootCACertificate: authority }),
      ...(crt === undefined || key === undefined ? {} : { clientCertPair: { crt, key } }),
    },
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function switchedOn(text: string | undefined, implied: boolean): boolean {
  if (text === undefined) return implied;
  const word = text.toLowerCase();
  if (['true', '1', 't'].includes(word)) return true;
  if (['false', '0', 'f'].includes(word)) return false;
  throw new BenchError('usage', 'TEMPORAL_TLS is neither true nor false', {
    code: 'setting.invalid',
    remedy: 'Set it to true or false.',
  });
}

function readFile(name: string, path: string, read: (path: string) => Uint8Array): Uint8Array {
  try {
    return read(path);
  } catch (error) {
    const { code = 'error' } = error as { code?: string };
    throw new BenchError('usage', `${name} names ${path}, which cannot be read (${code})`, {
      code: 'setting.invalid',
      remedy: 'Correct the path, or make the file readable.',
    });
  }
}

/** For people, without secrets: `TLS, client certificate, API key`; empty: plain. */
export const describeAccess = ({ tls, apiKey }: TemporalAccess): string =>
  [
    tls === undefined ? null : 'TLS',
    tls?.clientCertPair === undefined ? null : 'client certificate',
    apiKey === undefined ? null : 'API key',
  ]
    .filter((word) => word !== null)
    .join(', ');
