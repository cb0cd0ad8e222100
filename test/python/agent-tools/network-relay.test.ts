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
  relay = spawn('python3', [RELAY, String(port), path, 'repeat'], { stdio: 'ignore' });
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

it('a call whose server dies before it answers is sent again, whole, to the next server', async () => {
  const body = 'x'.repeat(300_000);
  const asked: string[] = [];
  const serve = (answers: boolean): Promise<void> => {
    server = createServer((socket) => {
      let text = '';
      socket
        .on('error', () => {})
        .on('data', (data) => {
          text += String(data);
          if (!text.endsWith('end')) return;
          asked.push(text);
          text = '';
          if (answers) return socket.write('HTTP/1.1 200 OK');
          // It dies: it listens no more.
          server!.close();
          rmSync(path, { force: true });
          socket.destroy();
        });
    });
    return new Promise((listens) => server!.listen(path, listens));
  };
  await serve(false);
  const socket = await client();
  const reply = replyOf(socket.setEncoding('utf8'));
  socket.write(`POST /v1/messages HTTP/1.1 ${body} end`);
  await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 60_000 });
  await serve(true);
  expect(await reply).toBe('HTTP/1.1 200 OK');
  const whole = `POST /v1/messages HTTP/1.1 ${body} end`;
  expect(asked).toEqual([whole, whole]);
  // The next call of the connection is one of its own.
  const second = replyOf(socket);
  socket.write('POST /second end');
  expect(await second).toBe('HTTP/1.1 200 OK');
  expect(asked.at(-1)).toBe('POST /second end');
  socket.destroy();
});

it('what follows the first byte of an answer is not sent again', async () => {
  let connections = 0;
  server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.once('data', () => socket.write('a part', () => socket.destroy()));
  });
  await new Promise<void>((listens) => server!.listen(path, listens));
  const socket = await client();
  const closed = new Promise((done) => socket.once('close', done));
  socket.resume().write('POST /v1/messages end');
  await new Promise((ended) => socket.once('end', ended));
  socket.end();
  await closed;
  expect(connections).toBe(1);
});
