import type { Duplex } from 'node:stream';
import pg from 'pg';

export class TooManyBytes extends Error {}

interface Attaching {
  connection: { attachListeners(stream: Duplex): void };
}

/**
 * Breaks its connection with `TooManyBytes` beyond `mostBytes`. The driver gathers whole messages,
 * and one of a gigabyte exceeds Node's strings, where only the process could catch the error. So
 * bytes are counted as they arrive.
 */
export function boundedClient(config: pg.ClientConfig, mostBytes: number): pg.Client {
  const client = new pg.Client(config);
  // With the socket, or the TLS stream over it, so the count is of plain text.
  const { connection } = client as unknown as Attaching;
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    let left = mostBytes;
    stream.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) stream.destroy(new TooManyBytes(`the server sent more than ${mostBytes} bytes`));
    });
    attach(stream);
  };
  return client;
}
