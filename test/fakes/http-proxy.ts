import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * An HTTP proxy, of CONNECT and of whole URLs. It alone knows the hosts: it takes each to a port of
 * this machine, so that what arrives there came through it.
 */
export class HttpProxy {
  /** `CONNECT host:port`, `GET http://host/path`, with the login if there was one. */
  readonly asked: string[] = [];
  status = 200;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  constructor(readonly portOf: (host: string) => number) {
    this.#server = createServer((incoming, outgoing) => {
      this.#note(incoming);
      const { host, pathname, search } = new URL(incoming.url ?? '');
      const { 'proxy-authorization': _, ...headers } = incoming.headers;
      const target = { port: this.portOf(host), path: `${pathname}${search}`, method: incoming.method, headers };
      const onward = request({ host: '127.0.0.1', ...target }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    this.#server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
      this.#note(incoming);
      this.#sockets.add(client);
      client.on('error', () => undefined);
      if (this.status !== 200) return client.end(`HTTP/1.1 ${this.status} No\r\n\r\n`);
      const server = connect(this.portOf(incoming.url ?? ''), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        server.write(head);
        server.pipe(client).pipe(server);
      });
      server.on('error', () => client.destroy());
    });
  }

  #note({ method = '', url = '', headers }: IncomingMessage): void {
    const login = headers['proxy-authorization'];
    const words = login === undefined ? '' : ` ${Buffer.from(login.slice('Basic '.length), 'base64').toString()}`;
    this.asked.push(`${method} ${url}${words}`);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
