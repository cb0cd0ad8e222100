import { text } from 'node:stream/consumers';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NotConnected, sendRequest } from '../../../models/connection.js';

/** A server of bare sockets, which records requests by connection. */
class Provider {
  readonly requests: number[] = [];
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  constructor(answer: (socket: Socket, nth: number) => void) {
    this.#server = createServer((socket) => {
      const connection = this.sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => answer(socket, this.requests.push(connection)));
    });
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
let provider: Provider;
afterEach(() => provider.close());

async function ask(url: URL): Promise<string> {
  return text(await sendRequest(url, { method: 'POST', headers: {}, body: 'hello' }));
}

describe('a connection to a provider', () => {
  it('carries one call after another', async () => {
    provider = new Provider((socket) => socket.write(OK));
    const url = await provider.listen();
    for (let i = 0; i < 3; i++) {
      expect(await ask(url)).toBe('ok');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(provider.requests).toEqual([1, 1, 1]);
  });

  it('that breaks while it carries a call fails that call, which is not repeated', async () => {
    provider = new Provider((socket, nth) => (nth === 1 ? socket.write(OK) : socket.resetAndDestroy()));
    const url = await provider.listen();
    expect(await ask(url)).toBe('ok');
    await new Promise((resolve) => setImmediate(resolve));
    const error: unknown = await ask(url).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(error).not.toBeInstanceOf(NotConnected);
    expect(provider.requests).toEqual([1, 1]);
  });

  it('that the provider has closed is replaced', async () => {
    provider = new Provider((socket) => socket.write(OK));
    const url = await provider.listen();
    await ask(url);
    const closed = new Promise((resolve) => provider.sockets[0]!.once('close', resolve));
    provider.sockets[0]!.end();
    await closed;
    expect(await ask(url)).toBe('ok');
    expect(provider.requests).toEqual([1, 2]);
  });

  it('is none where nobody listens', async () => {
    provider = new Provider(() => undefined);
    const url = await provider.listen();
    provider.close();
    await expect(ask(url)).rejects.toBeInstanceOf(NotConnected);
  });
});
