import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DoorProcess, type DoorProcessOptions } from './door-process.js';
import { relayHttp } from './relay-http.js';
import { Upgrades } from './upgrades.js';

export interface FrontOptions extends Omit<DoorProcessOptions, 'newSocket' | 'onListening'> {
  host: string;
  /** 0: any that is free. */
  port: number;
  /** Folder of the doors' sockets. */
  sockets: string;
  /** A door listens: its line, and where clients reach it. */
  onListening(line: string, url: string, doorPid: number): void;
}

export interface Front {
  url: string;
  /** Lets requests that run end, ends the door, then the clients' connections. */
  stop(): Promise<void>;
}

/** Longest path of a Unix socket that every system takes. */
const MOST_PATH_BYTES = 100;
/** A command may run for half an hour: its client asks again. */
const DRAIN_MS = 5_000;

/** Listens for clients, and keeps a door behind it. Throws the error of the port that cannot be had. */
export async function openFront(options: FrontOptions): Promise<Front> {
  let doors: DoorProcess | null = null;
  let upgrades: Upgrades | null = null;
  let running = 0;
  let stopping = false;
  // A request may come in slowly, and be answered when its command is done: nothing here ends it.
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 75_000, maxHeaderSize: 64 * 1024 },
    (request, response) => {
      running += 1;
      response.once('close', () => (running -= 1));
      if (stopping) response.setHeader('Connection', 'close');
      if (doors !== null) void relayHttp(doors, request, response);
    },
  );
  server.on('upgrade', (request, raw, head) => void upgrades?.take(request, raw, head));
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`;
  const newSocket = socketsFor(options.sockets, port);
  doors = new DoorProcess({
    ...options,
    newSocket,
    onListening: (line, { pid }) => options.onListening(line, url, pid),
  });
  upgrades = new Upgrades(doors);
  return {
    url,
    async stop() {
      stopping = true;
      server.close();
      for (const until = Date.now() + DRAIN_MS; Date.now() < until && running + upgrades.waiting > 0;) await sleep(50);
      await doors.stop();
      upgrades.end();
      server.closeAllConnections();
    },
  };
}

const listen = (server: Server, { host, port }: FrontOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve());
  });

/** Names of sockets for the doors behind this port. Those of a front before are nobody's: it does not have the port any more. */
function socketsFor(folder: string, port: number): () => string {
  const name = (): string => `${port}-${randomBytes(4).toString('hex')}.sock`;
  if (Buffer.byteLength(join(folder, name())) > MOST_PATH_BYTES) {
    const short = mkdtempSync(join(tmpdir(), 'bench-env-'));
    process.once('exit', () => rmSync(short, { recursive: true, force: true }));
    return () => join(short, name());
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const left of readdirSync(folder)) if (left.startsWith(`${port}-`)) rmSync(join(folder, left), { force: true });
  return () => join(folder, name());
}
