// On node:http, not Hono: it relays bytes and headers unchanged, breaks a client's connection where
// the server's broke, and loads little so that it listens at once.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bracketed, type OwnSite, ownSite } from '../../domain/home/own-site.js';
import { ServerProcess, type ServerProcessOptions } from './server-process.js';
import { REFUSAL_HEADERS, refusalOf } from './foreign-requests.js';
import { relayHttp } from './relay-http.js';
import { boundSockets } from './sockets-per-address.js';
import { refuse, Upgrades } from './upgrades.js';

export interface FrontOptions extends Omit<ServerProcessOptions, 'newSocket' | 'onListening'> {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Other names by which clients reach it, with or without a port. */
  allowHost?: readonly string[];
  socketsPerAddress: number;
  /** Folder of the servers' sockets. */
  sockets: string;
  onListening(line: string, url: string, serverPid: number): void;
}

export interface Front {
  url: string;
  /** Lets running requests end, then the server, then the clients' connections. */
  stop(): Promise<void>;
}

/** Accepted on every system. */
const MOST_PATH_BYTES = 100;
/** Commands may run for half an hour: clients of longer ones retry. */
const DRAIN_MS = 5_000;

/** Throws the port's error if it cannot listen. */
export async function openFront(options: FrontOptions): Promise<Front> {
  let serverProcess: ServerProcess | null = null;
  let upgrades: Upgrades | null = null;
  let running = 0;
  let stopping = false;
  let site: OwnSite = { hosts: [], origins: [] };
  // Requests may be slow, and wait for their command: no timeouts here.
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 75_000, maxHeaderSize: 64 * 1024 },
    (request, response) => {
      running += 1;
      response.once('close', () => (running -= 1));
      const refused = refusalOf(request, site);
      if (refused !== null) return void response.writeHead(refused.status, REFUSAL_HEADERS).end(refused.body);
      if (stopping) response.setHeader('Connection', 'close');
      if (serverProcess !== null) void relayHttp(serverProcess, request, response);
    },
  );
  server.on('upgrade', (request, raw, head) => {
    const refused = refusalOf(request, site);
    if (refused === null) return void upgrades?.take(request, raw, head);
    raw.on('error', () => undefined);
    refuse(raw, refused.status, Object.entries(REFUSAL_HEADERS).flat(), Buffer.from(refused.body));
  });
  boundSockets(server, options.socketsPerAddress);
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const url = `http://${bracketed(options.host)}:${port}`;
  site = ownSite(
    { host: options.host, port },
    ['http', 'https'],
    [...(options.allowHost ?? []), ...machineNames(options.host)],
  );
  const newSocket = socketsFor(options.sockets, port);
  serverProcess = new ServerProcess({
    ...options,
    newSocket,
    onListening: (line, { pid }) => options.onListening(line, url, pid),
  });
  upgrades = new Upgrades(serverProcess);
  return {
    url,
    async stop() {
      stopping = true;
      server.close();
      for (const until = Date.now() + DRAIN_MS; Date.now() < until && running + upgrades.waiting > 0;) await sleep(50);
      await serverProcess.stop();
      upgrades.end();
      server.closeAllConnections();
    },
  };
}

/** This machine's names, if the server listens at every address. */
function machineNames(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return [hostname(), 'localhost', ...addresses.map(({ address }) => bracketed(address))];
}

const listen = (server: Server, { host, port }: FrontOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve());
  });

/** Names of the servers' sockets. Removes those of an earlier front, which has lost the port. */
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
