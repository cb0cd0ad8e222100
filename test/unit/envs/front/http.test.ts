import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openTestFront, type TestFront } from './open-test-front.js';

let front: TestFront;
afterEach(() => front.remove());

interface Seen {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  pid: number;
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${front.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const seen = async (response: Promise<Response>): Promise<Seen> => (await (await response).json()) as Seen;

test('a request reaches the server as it was sent, without what only the front may say', async () => {
  front = await openTestFront();
  const response = await post(
    '/t/x/v1/a%20b?c=d:e',
    { f: 'ü' },
    { 'x-bench-connection': 'mine', 'x-bench-request': 'mine', 'x-own': '1' },
  );
  expect(response.headers.get('x-server')).toBe('yes');
  const { url, method, headers, body } = (await response.json()) as Seen;
  expect({ url, method, body }).toEqual({ url: '/t/x/v1/a%20b?c=d:e', method: 'POST', body: '{"f":"ü"}' });
  expect(headers).toMatchObject({ 'x-own': '1', 'x-forwarded-for': '127.0.0.1' });
  expect(headers['host']).toBe(new URL(front.url).host);
  expect(headers).not.toHaveProperty('x-bench-connection');
  expect(headers['x-bench-request']).toMatch(/^[\w-]{32}$/);
});

test('a stream comes as it is written; one whose server dies breaks', async () => {
  front = await openTestFront();
  const response = await fetch(`${front.url}/stream`);
  const reader = response.body!.getReader();
  const next = async () => Buffer.from((await reader.read()).value as Uint8Array).toString();
  expect(await next()).toBe('event: first\n\n');
  expect(await next()).toBe('event: end\n\n');
  await expect(fetch(`${front.url}/stream`, { headers: { 'x-die': '1' } }).then((r) => r.text())).rejects.toThrow();
});

test('a large body flows through', async () => {
  front = await openTestFront();
  const response = await fetch(`${front.url}/large`, {
    ...{ method: 'POST', body: 'x'.repeat(5_000_000) },
    headers: { 'content-type': 'application/json' },
  });
  expect(await response.text()).toBe('5000000');
});

test('after an answer that comes before a large body was read, the client is not kept waiting', async () => {
  front = await openTestFront();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (length: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': length },
      };
      request(`${front.url}/early`, options, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      })
        .on('error', reject)
        .end('x'.repeat(length));
    });
  expect([await ask(1_200_000), await ask(3_000_000), await ask(10)]).toEqual([401, 401, 401]);
  agent.destroy();
});

test('while no server listens the answer is 503, and says that it will', async () => {
  front = await openTestFront('slow');
  await front.killServer();
  const response = await fetch(`${front.url}/x`);
  expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-backend-state': 'starting', 'retry-after': '1' });
  expect(await response.json()).toMatchObject({ error: { type: 'services' } });
  await expect.poll(() => fetch(`${front.url}/x`).then((r) => r.status), { timeout: 10_000 }).toBe(200);
});

test.each([
  ['a read', () => fetch(`${front.url}/fatal`)],
  ['a numbered step', () => post('/fatal/step', { action: 'ls', action_seq: 1 })],
  ['a call with its task_id', () => post('/fatal/call', { name: 'run', task_id: 't' })],
])('%s whose server dies is asked of the next', async (_what, ask) => {
  front = await openTestFront();
  expect((await seen(ask())).pid).not.toBe(front.serverPid);
  expect(front.counts()).toEqual({ starts: 2, requests: 2 });
});

test('a request has its own name, which it keeps when it is asked of the next server', async () => {
  front = await openTestFront();
  await post('/fatal/nemo/reset', { task: 't' });
  await post('/nemo/reset', { task: 't' });
  const [lost, again, another] = front.names();
  expect(again).toBe(lost);
  expect(another).not.toBe(lost);
});

test.each([
  ['a step without its number', '/fatal/step', { action: 'ls' }],
  ['a list of steps, one without its number', '/fatal/steps', [{ action_seq: 1 }, {}]],
])('%s whose server dies breaks, and is not repeated', async (_what, path, body) => {
  front = await openTestFront();
  await expect(post(path, body)).rejects.toThrow();
  await expect.poll(() => fetch(`${front.url}/x`).then((r) => r.status), { timeout: 60_000 }).toBe(200);
  expect(front.counts()).toEqual({ starts: 2, requests: 2 });
});

test('a server that ends with a usage error ends the front so', async () => {
  front = await openTestFront('usage');
  expect(await front.ended).toBe(2);
  expect(front.counts().starts).toBe(1);
});

test('after one that listened it ends nothing: another is started', async () => {
  front = await openTestFront('usage later');
  await front.killServer();
  await expect.poll(() => fetch(`${front.url}/x`).then((r) => r.status), { timeout: 60_000 }).toBe(200);
  expect(front.counts()).toEqual({ starts: 3, requests: 1 });
});

test('a stop lets a request that runs end, then leaves nothing', async () => {
  front = await openTestFront();
  const stream = await fetch(`${front.url}/stream`);
  const idle = connect(Number(new URL(front.url).port), '127.0.0.1');
  idle.on('error', () => undefined);
  await Promise.all([front.stop(), expect(stream.text()).resolves.toContain('event: end')]);
  expect(() => process.kill(front.serverPid, 0)).toThrow();
  expect(readdirSync(join(front.folder, 'sockets'))).toEqual([]);
  idle.destroy();
  await expect(fetch(front.url)).rejects.toThrow();
});

test('a client that leaves takes its request with it', async () => {
  front = await openTestFront();
  const leave = new AbortController();
  const asked = fetch(`${front.url}/stream`, { signal: leave.signal });
  await (await asked).body!.getReader().read();
  leave.abort();
  const begun = Date.now();
  await front.stop();
  expect(Date.now() - begun).toBeLessThan(4_000);
});
