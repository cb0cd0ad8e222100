import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parseAllowedHost } from '../../../domain/task/network.js';

const PROXY = resolve(import.meta.dirname, '../../../images/agent/network/proxy.py');
const dir = mkdtempSync(join(tmpdir(), 'bench-test-proxy-'));
const path = join(dir, 'proxy.sock');
let proxy: ChildProcess;
/** The internet: answers a connection's first bytes, keeps it open, and records the rest. */
let internet: Server;
let port: number;
let heard: string[] = [];

beforeAll(async () => {
  internet = createServer((socket) => {
    const at = heard.push('') - 1;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (heard[at] === '') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      heard[at] += data.toString('latin1');
      // What shows that nothing more is under way.
      if (data.includes('LAST')) socket.end();
    });
    setTimeout(() => socket.end(), 1000);
  });
  await new Promise<void>((started) => internet.listen(0, '127.0.0.1', started));
  port = (internet.address() as AddressInfo).port;
  const allow = [`127.0.0.1:${port}`, 'default.test', '127.0.0.2'].map(parseAllowedHost);
  proxy = spawn('python3', [PROXY, path, JSON.stringify({ allow, allowPrivate: true })], { stdio: 'ignore' });
  while (!existsSync(path)) await new Promise((later) => setTimeout(later, 20));
});
afterAll(() => {
  proxy.kill();
  internet.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  heard = [];
});

/** Everything that is answered to these bytes. */
const say = (text: string): Promise<string> =>
  new Promise((done, failed) => {
    let answer = '';
    const socket: Socket = connect(path, () => socket.write(text, 'latin1'));
    socket.on('data', (data) => (answer += data.toString('latin1')));
    socket.once('close', () => done(answer)).once('error', failed);
  });
const at = () => `127.0.0.1:${port}`;

it('a request and its body reach an allowed host', async () => {
  const answer = await say(`POST http://${at()}/x HTTP/1.1\r\nHost: other\r\nContent-Length: 4\r\n\r\nLAST`);
  expect(answer).toContain('200 OK');
  expect(heard).toEqual([`POST /x HTTP/1.1\r\nHost: ${at()}\r\nContent-Length: 4\r\nConnection: close\r\n\r\nLAST`]);
});

it('nothing is passed on after the request: no second one on the same connection', async () => {
  await say(`GET http://${at()}/x HTTP/1.1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: hidden\r\n\r\nLAST`);
  await say(`POST http://${at()}/x HTTP/1.1\r\nContent-Length: 1\r\n\r\nbGET /smuggled HTTP/1.1\r\n\r\nLAST`);
  expect(heard).toHaveLength(2);
  expect(heard.join('')).not.toContain('smuggled');
});

it.each([
  ['a bare LF', `GET http://HERE/x HTTP/1.1\r\nA: b\nHost: hidden\r\n\r\n`, 400],
  ['a bare CR', `GET http://HERE/x HTTP/1.1\r\nA: b\rHost: hidden\r\n\r\n`, 400],
  ['a bare LF in the first line', `GET http://HERE/x\nHost:hidden HTTP/1.1\r\n\r\n`, 400],
  ['a folded line', `GET http://HERE/x HTTP/1.1\r\nA: b\r\n Host: hidden\r\n\r\n`, 400],
  ['a body of no told length', `POST http://HERE/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 411],
  ['two lengths', `POST http://HERE/x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
  ['a tunnel to a port that was not named', `CONNECT 127.0.0.2:80 HTTP/1.1\r\n\r\n`, 403],
])('%s is refused, and reaches nobody', async (_what, request, status) => {
  expect(await say(request.replace('HERE', at()))).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(heard).toEqual([]);
});

it('a tunnel goes to the port that the list names', async () => {
  expect(await say(`CONNECT ${at()} HTTP/1.1\r\n\r\nLAST`)).toContain('200 Connection established');
  expect(heard).toEqual(['LAST']);
  // Allowed, though nobody answers there.
  expect(await say('CONNECT 127.0.0.2:443 HTTP/1.1\r\n\r\n')).toContain('502 Bad Gateway');
});
