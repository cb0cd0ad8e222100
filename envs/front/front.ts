// On node:http, not Hono: it relays bytes and headers as they were written, breaks a client's connection where
// its server's broke, and loads next to nothing so that it listens at once.
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
  /** 0: any that is free. */
  port: number;
  /** Further names by which clients reach it, with a port or without. */
  allowHost?: readonly string[];
  /** Connections that one address may have. */
  socketsPerAddress: number;
  /** Folder of the servers' sockets. */
  sockets: string;
  /** A server listens: its line, and where clients reach it. */
  onListening(line: string, url: string, serverPid: number): void;
}

export interface Front {
  url: string;
  /** Lets requests that run end, ends the server, then the clients' connections. */
  stop(): Promise<void>;
}

/** Longest path of a Unix socket that every system takes. */
const MOST_PATH_BYTES = 100;
/** A command may run for half an hour: its client asks again. */
const DRAIN_MS = 5_000;

/** Listens for clients, and keeps a server behind it. Throws the error of the port that cannot be had. */
export async function openFront(options: FrontOptions): Promise<Front> {
  let serverProcess: ServerProcess | null = null;
  let upgrades: Upgrades | null = null;
  let running = 0;
  let stopping = false;
  let site: OwnSite = { hosts: [], origins: [] };
  // A request may come in slowly, and be answered when its command is done: nothing here ends it.
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

/** Of a server that listens at every address: what this machine is called. */
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

/** Names of sockets for the servers behind this port. Those of a front before are nobody's: it does not have the port any more. */
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
