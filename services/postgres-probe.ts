import { connect } from 'node:net';

export type PostgresAnswer =
  | 'ready'
  /** It answers, but is starting, recovering or stopping. */
  | 'busy'
  /** Nothing listens there, or it is not PostgreSQL. */
  | 'silent';

/**
 * Like `pg_isready`: sends a startup message and reads the first answer, without a password. `tls`:
 * only asks for TLS, since servers that require it may answer nothing else.
 */
export function probePostgres(
  address: { host: string; port: number; user: string; database: string; tls?: boolean },
  timeoutMs = 2000,
): Promise<PostgresAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ host: address.host, port: address.port });
    const chunks: Buffer[] = [];
    const finish = (answer: PostgresAnswer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => finish('silent'), timeoutMs);
    socket.on('connect', () =>
      socket.write(address.tls === true ? SSL_REQUEST : startupMessage(address.user, address.database)),
    );
    socket.on('error', () => finish('silent'));
    socket.on('close', () => finish('silent'));
    socket.on('data', (data) => {
      chunks.push(data);
      const answer = Buffer.concat(chunks);
      if (address.tls === true) return finish(/^[SN]/.test(answer.toString('latin1')) ? 'ready' : 'silent');
      if (answer[0] === AUTHENTICATION) return finish('ready');
      if (answer[0] !== ERROR_RESPONSE) return finish('silent');
      if (answer.length < 5 || answer.length < 1 + answer.readInt32BE(1)) return;
      finish(answer.includes(`C${CANNOT_CONNECT_NOW}\0`) ? 'busy' : 'ready');
    });
  });
}

const AUTHENTICATION = 'R'.charCodeAt(0);
const ERROR_RESPONSE = 'E'.charCodeAt(0);
/** A server that is starting up or shutting down. */
const CANNOT_CONNECT_NOW = '57P03';

/** Length and code; answered by `S` or `N`. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

function startupMessage(user: string, database: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, parameters]);
}
