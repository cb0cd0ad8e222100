import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import type { TemporalAccess } from '../domain/home/temporal-access.js';

export type TemporalAnswer = { kind: 'ok' } | { kind: 'no_namespace' } | { kind: 'unavailable'; reason: string };

const NOT_FOUND = '5';
const REFUSED = { '7': 'the server denies permission', '16': 'the server refuses the API key or certificate' };

/** One DescribeNamespace by plain HTTP/2, so that commands need not load the Temporal client. */
export function probeTemporal(
  address: string,
  namespace: string,
  timeoutMs = 3000,
  access: TemporalAccess = {},
): Promise<TemporalAnswer> {
  return new Promise((resolve) => {
    const finish = (answer: TemporalAnswer) => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    const unavailable = (reason: string) => finish({ kind: 'unavailable', reason });
    const timer = setTimeout(() => unavailable(`no answer in ${timeoutMs / 1000} s`), timeoutMs);
    let session: ClientHttp2Session;
    try {
      session = openSession(address, access);
    } catch (error) {
      clearTimeout(timer);
      const code = (error as NodeJS.ErrnoException).code ?? '';
      const reason = code.startsWith('ERR_OSSL') ? tlsProblem(error as Error) : null;
      return resolve({ kind: 'unavailable', reason: reason ?? 'not an address; expected host:port' });
    }
    const failed = (error: NodeJS.ErrnoException) => unavailable(tlsProblem(error) ?? error.code ?? error.message);
    session.on('error', failed);
    const request = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
      'temporal-namespace': namespace,
      ...(access.apiKey === undefined ? {} : { authorization: `Bearer ${access.apiKey}` }),
    });
    const judge = (headers: IncomingHttpHeaders) => {
      const status = headers['grpc-status'];
      if (typeof status !== 'string') return;
      if (status === '0') return finish({ kind: 'ok' });
      if (status === NOT_FOUND) return finish({ kind: 'no_namespace' });
      const message = headers['grpc-message'];
      const words = typeof message === 'string' ? decodeURIComponent(message) : '';
      unavailable(`${(REFUSED as Record<string, string>)[status] ?? `gRPC status ${status}`}: ${words}`);
    };
    request.on('response', judge);
    request.on('trailers', judge);
    // The session's own error, which comes next, says more.
    request.on('error', (error: NodeJS.ErrnoException) => setImmediate(() => failed(error)));
    const closed =
      access.tls === undefined
        ? 'the connection was closed: not a Temporal server, or one that requires TLS (TEMPORAL_TLS=true)'
        : 'the connection was closed: not a Temporal server, or one that requires another client certificate';
    request.on('close', () => setImmediate(() => unavailable(closed)));
    request.resume();
    request.end(describeNamespaceRequest(namespace));
  });
}

function openSession(address: string, { tls }: TemporalAccess): ClientHttp2Session {
  if (tls === undefined) return connect(`http://${address}`);
  const pem = (bytes: Uint8Array) => Buffer.from(bytes);
  return connect(`https://${address}`, {
    ...(tls.serverNameOverride === undefined ? {} : { servername: tls.serverNameOverride }),
    ...(tls.serverRootCACertificate === undefined ? {} : { ca: pem(tls.serverRootCACertificate) }),
    ...(tls.clientCertPair === undefined
      ? {}
      : { cert: pem(tls.clientCertPair.crt), key: pem(tls.clientCertPair.key) }),
  });
}

function tlsProblem({ code = '', message }: NodeJS.ErrnoException): string | null {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate has another name (set the expected one in TEMPORAL_TLS_SERVER_NAME)';
  if (/^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED)/.test(code))
    return `its certificate comes from an authority that is not trusted here (set TEMPORAL_TLS_SERVER_CA_CERT_PATH): ${code}`;
  if (/^CERT_/.test(code)) return `its certificate is not valid: ${code}`;
  if (/KEY_VALUES_MISMATCH/.test(`${code} ${message}`))
    return 'TEMPORAL_TLS_CLIENT_KEY does not belong to the client certificate';
  if (/ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)/.test(code))
    return 'it requires a client certificate (TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH)';
  if (/ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_|DECRYPT_ERROR|ACCESS_DENIED)/.test(code))
    return 'it rejected the client certificate';
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(code)) return 'it does not speak TLS (TEMPORAL_TLS=false)';
  if (/^ERR_(OSSL|SSL)/.test(code)) return `TLS fails: ${code}`;
  return null;
}

/** A gRPC frame (no compression, length); field 1 is the namespace. */
function describeNamespaceRequest(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  const length: number[] = [];
  for (let rest = name.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest);
      break;
    }
    length.push((rest & 0x7f) | 0x80);
  }
  const message = Buffer.concat([Buffer.from([0x0a, ...length]), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}
