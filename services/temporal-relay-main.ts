import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';

/**
 * Runs the Temporal server in this network namespace (temporal-room.ts) and relays TLS connections
 * with the home's key to it, from an inherited socket. Exits with the server; the supervisor
 * restarts both.
 *
 * temporal-relay-main.js <certificate> <key> <port inside> <program> <arguments …>
 */
const [certificate = '', key = '', inside = '', program = '', ...args] = process.argv.slice(2);
const port = Number(inside);
const SOCKET = 3;

// The server does not get the socket.
const temporal = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ignore'] });
const passOn = (signal: NodeJS.Signals) => void temporal.kill(signal);
process.on('SIGTERM', passOn);
process.on('SIGINT', passOn);
temporal.once('error', (error) => {
  console.error(`cannot start ${program}: ${error.message}`);
  process.exit(1);
});
temporal.once('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

const started = untilStarted();
const pem = readFileSync(certificate);
const server = createServer(
  {
    ...{ cert: pem, key: readFileSync(key), ca: pem, minVersion: 'TLSv1.3', ALPNProtocols: ['h2'] },
    ...{ requestCert: true, rejectUnauthorized: true, handshakeTimeout: 10_000 },
  },
  (outer) => {
    outer.on('error', () => undefined);
    outer.setNoDelay(true);
    // Connections wait until the server answers.
    void started.then(() => {
      if (outer.destroyed) return;
      const inner = connect({ port, host: '127.0.0.1', noDelay: true });
      endTogether(outer, inner);
      outer.pipe(inner).pipe(outer);
    });
  },
);
// A client without the key, or an aborted probe.
server.on('tlsClientError', () => undefined);
server.listen({ fd: SOCKET });

function endTogether(one: Socket, other: Socket): void {
  for (const [mine, its] of [
    [one, other],
    [other, one],
  ] as const) {
    mine.on('error', () => undefined);
    mine.on('close', () => its.destroy());
  }
}

async function untilStarted(): Promise<void> {
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
