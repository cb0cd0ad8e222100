import type { Duplex } from 'node:stream';
import pg from 'pg';

/** The server sent more than the client takes. */
export class TooManyBytes extends Error {}

interface Attaching {
  connection: { attachListeners(stream: Duplex): void };
}

/**
 * A client whose connection breaks with `TooManyBytes` once the server has sent more than `mostBytes`. The driver decodes whole
 * messages, and a row, a notice or an error may have a gigabyte: more than a string of Node can hold, so the driver throws where
 * only the process can catch it. Bytes are therefore counted as they arrive, before the driver gathers them.
 */
export function boundedClient(config: pg.ClientConfig, mostBytes: number): pg.Client {
  const client = new pg.Client(config);
  // Called with the socket, or with the TLS stream over it: what is counted is the protocol's plain text.
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
