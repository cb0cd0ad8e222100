import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { BenchError } from '../domain/errors.js';

/** Below the range from which systems take the ports of outgoing connections: a recorded port stays free for us. */
const FIRST = 20_000;
const COUNT = 12_000;

export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** For a process that inherits it. */
export interface ListeningSocket {
  descriptor: number;
  /** Ours; whoever has inherited it keeps it. */
  close(): void;
}

/**
 * A socket that listens at that loopback port, for another process: whoever comes before that has it is sent away. Its descriptor
 * is no public part of Node's servers. To send the server by a channel would be the public way, but the process that gets it
 * takes and forgets connections before it hears of it.
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
      reject(new Error('this Node.js does not tell the descriptor of a socket'));
    });
  });
}

/** A free loopback port; where the search starts depends on `seed`, so that homes seldom try for the same one. */
export async function chooseFreePort(seed: string, taken: readonly number[] = []): Promise<number> {
  const start = createHash('sha256').update(seed).digest().readUInt32BE(0) % COUNT;
  for (let step = 0; step < 500; step++) {
    const port = FIRST + ((start + step) % COUNT);
    if (!taken.includes(port) && (await portIsFree(port))) return port;
  }
  throw new BenchError('services', `no free TCP port on 127.0.0.1 among 500 tried from ${FIRST + start}`, {
    code: 'services.not_started',
    remedy: 'end programs that hold ports (ss -ltnp shows them), or set DATABASE_URL and TEMPORAL_ADDRESS',
  });
}
