import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Relays between a client and a local server, and counts the server's bytes. */
export class CountingRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Cumulative bytes and when they came, epoch milliseconds. */
  readonly #received: { at: number; bytes: number }[] = [];
  #bytes = 0;

  private constructor(target: { host: string; port: number }) {
    this.#server = createServer((client) => {
      const server = connect(target);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from) && to.destroy());
      }
      client.pipe(server);
      server.on('data', (chunk) => this.#count(chunk.length)).pipe(client);
    });
  }

  static async before(url: string): Promise<{ relay: CountingRelay; url: string }> {
    const target = new URL(url);
    const relay = new CountingRelay({ host: target.hostname, port: Number(target.port) });
    await new Promise<void>((listening) => relay.#server.listen(0, '127.0.0.1', listening));
    target.hostname = '127.0.0.1';
    target.port = String((relay.#server.address() as AddressInfo).port);
    return { relay, url: target.href };
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#received.push({ at: Date.now(), bytes: this.#bytes });
  }

  #until(at: number): number {
    return this.#received.findLast((one) => one.at <= at)?.bytes ?? 0;
  }

  between(from: Date, to: Date): number {
    return this.#until(to.getTime()) - this.#until(from.getTime());
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
