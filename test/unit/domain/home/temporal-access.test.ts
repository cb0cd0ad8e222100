import { describe, expect, it } from 'vitest';
import { describeAccess, temporalAccess, withoutTemporalAccess } from '../../../../domain/home/temporal-access.js';

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (path: string) => {
  if (path === '/pem') return bytes(PEM);
  if (path === '/text') return bytes('nothing of the kind');
  throw Object.assign(new Error('no'), { code: 'ENOENT' });
};
const access = (env: Record<string, string>) => temporalAccess(env, read);

describe('access to Temporal', () => {
  it('is plain when nothing is said', () => {
    expect(access({ TEMPORAL_ADDRESS: 'x:7233', TEMPORAL_TLS: '' })).toEqual({});
    expect(describeAccess({})).toBe('');
  });

  it('is TLS when certificates, a name or an API key are given, and plain when TEMPORAL_TLS says false', () => {
    expect(access({ TEMPORAL_TLS: 'true' })).toEqual({ tls: {} });
    expect(access({ TEMPORAL_API_KEY: 'k' })).toEqual({ tls: {}, apiKey: 'k' });
    expect(access({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' })).toEqual({ apiKey: 'k' });
    const both = { TEMPORAL_TLS_CLIENT_CERT_PATH: '/pem', TEMPORAL_TLS_CLIENT_KEY_DATA: PEM };
    const mutual = access({ ...both, TEMPORAL_TLS_SERVER_NAME: 'n', TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/pem' });
    expect(mutual).toEqual({
      tls: {
        serverNameOverride: 'n',
        serverRootCACertificate: bytes(PEM),
        clientCertPair: { crt: bytes(PEM), key: bytes(PEM) },
      },
    });
    expect(describeAccess(mutual)).toBe('TLS, client certificate');
  });

  it.each([
    [{ TEMPORAL_TLS: 'yes please' }, 'TEMPORAL_TLS'],
    [{ TEMPORAL_TLS_CLIENT_CERT_PATH: '/pem' }, 'without TEMPORAL_TLS_CLIENT_KEY'],
    [{ TEMPORAL_TLS_CLIENT_KEY_PATH: '/pem' }, 'without TEMPORAL_TLS_CLIENT_CERT'],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/absent' }, '/absent, which cannot be read (ENOENT)'],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/text' }, 'contains no PEM'],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/pem', TEMPORAL_TLS_SERVER_CA_CERT_DATA: PEM }, 'both set'],
    [{ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }, 'not supported'],
  ])('refuses %o', (env, message) => {
    expect(() => access(env)).toThrow(message);
  });

  it('is kept from the embedded server', () => {
    const env = { TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'true', TEMPORAL_TLS_CLIENT_KEY_DATA: 'k', PATH: '/bin' };
    expect(withoutTemporalAccess(env)).toEqual({ PATH: '/bin' });
  });
});
