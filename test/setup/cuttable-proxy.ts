import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A server's second address. Its line can be cut: packets vanish without notice. */
export interface CuttableProxy {
  port: number;
  cut(): void;
  /** Breaks old connections, as a firewall does with forgotten ones. */
  mend(): void;
  close(): Promise<void>;
}

export async function cuttableProxy(target: { host: string; port: number }): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    const sides = [client, upstream] as const;
    const end = (): void => {
      for (const side of sides) {
        sockets.delete(side);
        side.destroy();
      }
    };
    for (const [from, to] of [sides, sides.toReversed() as [Socket, Socket]]) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => (isCut ? undefined : to.write(bytes)));
      // While it is cut, neither side sees the other hang up.
      from.on('error', () => undefined).on('close', () => (isCut ? undefined : end()));
    }
  });
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => void (isCut = true),
    mend() {
      if (!isCut) return;
      isCut = false;
      breakAll();
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      breakAll();
      return closed;
    },
  };
}
