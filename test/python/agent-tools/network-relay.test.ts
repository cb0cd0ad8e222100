import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';

const RELAY = resolve(import.meta.dirname, '../../../images/agent/network/relay.py');
/** As many connections as it carries at once. */
const PLACES = 64;
const dir = mkdtempSync(join(tmpdir(), 'bench-test-relay-'));
const path = join(dir, 'sock');
let relay: ChildProcess;
let port: number;
let server: Server | null = null;

beforeAll(async () => {
  const free = createServer();
  await new Promise<void>((listens) => free.listen(0, '127.0.0.1', listens));
  port = (free.address() as AddressInfo).port;
  await new Promise((closed) => free.close(closed));
  relay = spawn('python3', [RELAY, String(port), path], { stdio: 'ignore' });
  await vi.waitFor(async () => (await client()).destroy(), { timeout: 60_000 });
});
afterEach(() => {
  server?.close();
  server = null;
  rmSync(path, { force: true });
});
afterAll(() => {
  relay.kill();
  rmSync(dir, { recursive: true, force: true });
});

const client = (): Promise<Socket> =>
  new Promise((done, failed) => {
    const socket: Socket = connect(port, '127.0.0.1', () => done(socket)).once('error', failed);
  });
const replyOf = (socket: Socket): Promise<string> =>
  new Promise((done) => socket.once('data', (data) => done(String(data))).once('close', () => done('closed')));
const listen = (): Promise<void> => {
  server = createServer((socket) => socket.once('data', (data) => socket.end(`to ${String(data)}`)));
  return new Promise((listens) => server!.listen(path, listens));
};

it('a request that comes while no server listens is answered by the next one', async () => {
  const socket = await client();
  const reply = replyOf(socket.setEncoding('utf8'));
  socket.write('ping');
  // A refused connection would have been closed by now.
  await new Promise((later) => setTimeout(later, 500));
  await listen();
  expect(await reply).toBe('to ping');
});

it('clients that leave while no server listens make room, though what they sent is unread', async () => {
  const gone = await Promise.all(Array.from({ length: PLACES }, client));
  for (const socket of gone) socket.end('request');
  const late = await client();
  const reply = replyOf(late);
  late.write('late');
  await listen();
  expect(await reply).toBe('to late');
});
