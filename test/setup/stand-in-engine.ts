import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The engine's answers apart from its version; undefined: 404. */
type Says = (method: string, path: string, request: IncomingMessage) => unknown;

/** An engine without images whose builds never end: shows requests and disconnects. */
export class StandInEngine {
  readonly requests: string[] = [];
  /** Build connections that the client closed. */
  hungUp = 0;
  readonly #dir = mkdtempSync(join(tmpdir(), 'bench-test-engine-'));
  readonly #server = createServer((request, response) => {
    request.resume();
    this.requests.push(`${request.method ?? ''} ${request.url?.split('?')[0] ?? ''}`);
    const path = request.url?.split('?')[0] ?? '';
    if (path.endsWith('/version'))
      return answer(response, { Version: '27.0.0', Os: 'linux', ApiVersion: '1.45', ...this.version });
    if (path.endsWith('/images/base:1/json')) return answer(response, { Id: 'sha256:base' });
    if (path.endsWith('/build')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"stream":"Step 1/1 : RUN forever\\n"}\n');
      response.once('close', () => (this.hungUp += 1));
      return;
    }
    const said = this.says(request.method ?? '', path, request);
    if (said === undefined) answer(response, { message: 'no such thing' }, 404);
    else answer(response, said);
  });

  constructor(
    private readonly says: Says = () => undefined,
    private readonly version: object = {},
  ) {}

  get host(): string {
    return `unix://${this.#dir}/engine.sock`;
  }

  async start(): Promise<this> {
    this.#server.listen(`${this.#dir}/engine.sock`);
    await once(this.#server, 'listening');
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function answer(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
