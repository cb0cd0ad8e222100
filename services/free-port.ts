import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { BenchError } from '../domain/errors.js';

/** Below the ephemeral ports, so that a recorded port stays free. */
const FIRST = 20_000;
const COUNT = 12_000;

export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

export interface ListeningSocket {
  descriptor: number;
  /** Closes our end only. */
  close(): void;
}

/**
 * A loopback socket for another process to inherit; earlier connections are refused. Uses a private
 * descriptor: sending the server over a channel would lose early connections.
 */
export function listenForOther(port: number): Promise<ListeningSocket> {
  return new Promise((resolve, reject) => {
    const server: Server & { _handle?: { fd?: number } } = createServer((connection) => connection.destroy());
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const { fd = -1 } = server._handle ?? {};
      const close = () => void server.close();
      if (fd >= 0) return resolve({ descriptor: fd, close });
      close();
      reject(new Error("this Node.js does not expose a socket's descriptor"));
    });
  });
}

/** The search starts at a place given by `seed`, so that homes rarely compete. */
export async function chooseFreePort(seed: string, taken: readonly number[] = []): Promise<number> {
  const start = createHash('sha256').update(seed).digest().readUInt32BE(0) % COUNT;
  for (let step = 0; step < 500; step++) {
    const port = FIRST + ((start + step) % COUNT);
    if (!taken.includes(port) && (await portIsFree(port))) return port;
  }
  throw new BenchError('services', `no free TCP port on 127.0.0.1 among 500 tried from ${FIRST + start}`, {
    code: 'services.start_failed',
    remedy: 'end programs that use ports (see ss -ltnp), or set DATABASE_URL and TEMPORAL_ADDRESS',
  });
}
