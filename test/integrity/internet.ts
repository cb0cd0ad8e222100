import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The internet of a task with one allowed host: a server here, reachable from containers too. */
export class Internet {
  /** All that came, as it came. */
  heard = '';
  readonly address: string;
  readonly #server: Server;

  static async start(): Promise<Internet> {
    const server = createServer((_, response) => response.end('hello'));
    await new Promise<void>((listening) => server.listen(0, '0.0.0.0', listening));
    return new Internet(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => socket.on('data', (data) => (this.heard += data.toString('latin1'))));
    const own = Object.values(networkInterfaces()).flat();
    const host = own.find((at) => at?.family === 'IPv4' && !at.internal)?.address ?? '172.17.0.1';
    this.address = `${host}:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
