import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openTestFront, type TestFront } from './open-test-front.js';

let front: TestFront;
afterEach(() => front.remove());

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
}

/** Over plain HTTP: fetch sets some of these headers itself. */
function send(method: string, headers: Record<string, string>, body?: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(`${front.url}/v1/episodes`, { method, headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    asked.once('error', reject).end(body);
  });
}

function handshake(headers: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const { host, ...rest } = headers;
    const socket = new WebSocket(`${front.url.replace('http', 'ws')}/ws`, {
      headers: { ...rest, ...(host !== undefined && { host }) },
    });
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
    socket.once('error', ({ message }) => resolve(message));
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FOREIGN: [what: string, headers: Record<string, string>][] = [
  ['a page of another site', { origin: 'https://hostile.example' }],
  ['a page of another port', { origin: 'http://127.0.0.1:1' }],
  ['a page without an origin of its own', { origin: 'null' }],
  ['an image or a link of another site', { 'sec-fetch-site': 'cross-site' }],
  ['an image or a link of another port', { 'sec-fetch-site': 'same-site' }],
  ['two sites at once', { 'sec-fetch-site': 'none, cross-site' }],
  ['a name that somebody points here', { host: 'hostile.example' }],
  ['our address at another port', { host: '127.0.0.1:1' }],
];

test.each(FOREIGN)(
  'refuses %s on requests, preflights and upgrades, before a server sees them',
  async (_what, headers) => {
    front = await openTestFront();
    for (const [method, body] of [['GET'], ['OPTIONS'], ['POST', '{}'], ['DELETE']] as const) {
      const got = await send(method, { ...JSON_TYPE, ...headers }, body);
      expect([method, got.status]).toEqual([method, 403]);
      expect(Object.keys(got.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect(await handshake(headers)).toContain('403');
    expect(front.counts().requests).toBe(0);
  },
);

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  '',
])('refuses a body of the type "%s", which a form could send', async (type) => {
  front = await openTestFront();
  const headers = type === '' ? {} : { 'content-type': type };
  expect((await send('POST', headers, '{}')).status).toBe(415);
  expect((await send('POST', { ...headers, 'transfer-encoding': 'chunked' }, '{}')).status).toBe(415);
  expect(front.counts().requests).toBe(0);
  // Some clients name a type for a body that they do not send.
  expect((await send('POST', headers)).status).toBe(200);
  expect((await send('POST', { 'content-type': 'application/json; charset=utf-8' }, '{}')).status).toBe(200);
});

test('takes its own clients: programs, pages of its own, and the names that it was given', async () => {
  front = await openTestFront('plain', { allowHost: ['trainer.example', 'Proxy.example:9000'] });
  const { host, port } = new URL(front.url);
  for (const headers of [
    {},
    { origin: front.url, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    ...[`localhost:${port}`, `[::1]:${port}`, 'trainer.example', `TRAINER.example:${port}`, 'proxy.example:9000'].map(
      (name) => ({ host: name }),
    ),
  ] as Record<string, string>[]) {
    expect([headers, (await send('POST', { ...JSON_TYPE, host, ...headers }, '{}')).status]).toEqual([headers, 200]);
    expect([headers, await handshake({ host, ...headers })]).toEqual([headers, 'open']);
  }
  expect((await send('GET', { host: 'proxy.example' })).status).toBe(403);
});

test('closes a socket with a frame of more than 4 MB, and one that sends many without waiting for replies', async () => {
  front = await openTestFront();
  const closed = async (sizes: readonly number[]): Promise<number> => {
    const socket = new WebSocket(`${front.url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
    await new Promise((resolve) => socket.once('open', resolve));
    const code = new Promise<number>((resolve) => socket.once('close', resolve));
    for (const size of sizes) socket.send(size === 4 ? 'hang' : 'x'.repeat(size));
    return code;
  };
  const MB = 1024 * 1024;
  expect(await closed([4 * MB + 1])).toBe(1009);
  // `hang` has no reply.
  expect(await closed([4, 4 * MB, 4 * MB, 4 * MB, 4 * MB, 4 * MB])).toBe(1008);
  const socket = new WebSocket(`${front.url.replace('http', 'ws')}/ws`);
  await new Promise((resolve) => socket.once('open', resolve));
  const reply = new Promise((resolve) => socket.once('message', resolve));
  socket.send('x'.repeat(4 * MB));
  expect(String(await reply)).toContain('"action_seq":7');
  socket.terminate();
});

test('gives one address so many connections and no more; one that ends makes room', async () => {
  front = await openTestFront('plain', { socketsPerAddress: 3 });
  const { port } = new URL(front.url);
  const open = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve(socket));
      socket.on('error', () => undefined);
    });
  const kept = [await open(), await open(), await open()];
  const refused = await open();
  const said = new Promise<string>((resolve) => refused.once('data', (data) => resolve(String(data))));
  expect(await said).toMatch(/^HTTP\/1.1 429 /);
  kept[0]?.destroy();
  await expect
    .poll(() =>
      send('GET', {}).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  for (const socket of kept) socket.destroy();
});
