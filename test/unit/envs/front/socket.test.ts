import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openTestFront, type TestFront } from './open-test-front.js';

let front: TestFront;
afterEach(() => front.remove());

interface Reply {
  data: { said: string; id: string; received: string | null; pid: number };
}

const open = (path = '/ws', headers: Record<string, string> = {}): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${front.url.replace('http', 'ws')}${path}`, { headers });
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
const heard = (socket: WebSocket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('message', (data: Buffer) => resolve(data.toString()));
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
  });
const ask = async (socket: WebSocket, text: string): Promise<Reply['data']> => {
  const reply = heard(socket);
  socket.send(text);
  return (JSON.parse(await reply) as Reply).data;
};

test('a connection keeps its name over servers, and its unanswered frame is asked of the next', async () => {
  front = await openTestFront('slow');
  const [one, other] = await Promise.all([open('/ws', { 'x-bench-connection': 'mine' }), open()]);
  const first = await ask(one, 'hello');
  expect(first).toMatchObject({ said: 'hello', received: null, pid: front.serverPid });
  expect(first.id).toMatch(/^[0-9a-f]{32}$/);
  const again = await ask(one, 'die');
  expect(again).toMatchObject({ said: 'die', id: first.id, received: '7' });
  expect(again.pid).not.toBe(front.serverPid);
  expect(await ask(one, 'more')).toMatchObject({ said: 'more', pid: again.pid });
  // Nothing was received by the other one.
  const third = await ask(other, 'hi');
  expect(third).toMatchObject({ said: 'hi', received: null, pid: again.pid });
  expect(third.id).not.toBe(first.id);
});

test('frames sent while no server listens arrive, in their order', async () => {
  front = await openTestFront('slow');
  const socket = await open();
  const soon = heard(socket);
  socket.send('die idle');
  expect(await soon).toBe('soon');
  await front.death;
  const said: string[] = [];
  socket.on('message', (data: Buffer) => said.push((JSON.parse(data.toString()) as Reply).data.said));
  for (const text of ['a', 'b', 'c']) socket.send(text);
  await expect.poll(() => said, { timeout: 10_000 }).toEqual(['a', 'b', 'c']);
});

test('a server that says that it restarts is followed; any other end is the client’s', async () => {
  front = await openTestFront();
  const socket = await open();
  const closed = new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, reason.toString()])));
  socket.send('restart');
  // A server that has said so ends.
  const again = heard(socket);
  await front.killServer();
  expect((JSON.parse(await again) as Reply).data.said).toBe('restart');
  socket.send('bye');
  expect(await closed).toEqual([4001, 'over']);
});

test('a refused handshake is refused as the server says', async () => {
  front = await openTestFront();
  await expect(open('/refused')).rejects.toThrow('401');
});

test('a handshake waits for a server', async () => {
  front = await openTestFront('slow');
  await front.killServer();
  expect((await ask(await open(), 'hi')).pid).not.toBe(front.serverPid);
});
