import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, constants, createSecureServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One authority's certificates: PEM files in a directory of their own. */
export class Certificates {
  readonly dir = mkdtempSync(join(tmpdir(), 'bench-tls-'));
  readonly authority = this.path('ca.crt');

  constructor() {
    const config = 'basicConstraints=critical,CA:TRUE';
    this.openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    )(...['-subj', '/CN=test authority', '-addext', config, '-keyout', this.path('ca.key'), '-out', this.authority]);
  }

  issue(name: string): { crt: string; key: string } {
    const [crt, key, csr, ext] = ['crt', 'key', 'csr', 'ext'].map((kind) => this.path(`${name}.${kind}`)) as [
      string,
      string,
      string,
      string,
    ];
    writeFileSync(ext, `subjectAltName=DNS:${name}\n`);
    this.openssl(
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
    )(...['-subj', `/CN=${name}`, '-keyout', key, '-out', csr]);
    this.openssl(
      'x509',
      '-req',
      '-in',
      csr,
      '-CA',
      this.authority,
      '-CAkey',
      this.path('ca.key'),
      '-CAcreateserial',
    )(...['-days', '2', '-extfile', ext, '-out', crt]);
    return { crt, key };
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  private path(name: string): string {
    return join(this.dir, name);
  }

  private openssl(...first: string[]) {
    return (...rest: string[]) => execFileSync('openssl', [...first, ...rest], { stdio: 'ignore' });
  }
}

export interface TemporalGateway {
  address: string;
  readonly calls: number;
  close(): Promise<void>;
}

const UNAUTHENTICATED = '16';

/** Like a production proxy: requires client certificates and, if given, an API key. */
export async function openTemporalGateway(
  target: string,
  files: { crt: string; key: string; authority: string },
  apiKey?: string,
): Promise<TemporalGateway> {
  const upstream = connect(`http://${target}`);
  upstream.on('error', () => undefined);
  const server = createSecureServer({
    cert: readFileSync(files.crt),
    key: readFileSync(files.key),
    ca: readFileSync(files.authority),
    requestCert: true,
    rejectUnauthorized: true,
  });
  let calls = 0;
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) {
      const refusal = { 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'Request unauthorized.' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
      return;
    }
    calls += 1;
    const call = upstream.request(withoutPseudo(headers));
    call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    let trailers: IncomingHttpHeaders = {};
    call.on('trailers', (given: IncomingHttpHeaders) => (trailers = given));
    call.on('response', (answer) => {
      // A refusal has no body; its status is in the headers.
      if (answer['grpc-status'] !== undefined) {
        stream.respond(answer, { endStream: true });
        return;
      }
      stream.respond(answer, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      call.pipe(stream);
    });
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    stream.pipe(call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls;
    },
    async close() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withoutPseudo(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = { ...headers };
  for (const name of [':authority', ':scheme']) Reflect.deleteProperty(kept, name);
  return kept;
}
