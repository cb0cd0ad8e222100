import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpFetch } from '../../../models/http-fetch.js';
import { post, wholeText } from '../../../models/gateway/upstream.js';

const TEXT = JSON.stringify({ text: 'answer '.repeat(2000) });
const packed: Record<string, Buffer> = {
  gzip: gzipSync(TEXT),
  'x-gzip': gzipSync(TEXT),
  br: brotliCompressSync(TEXT),
  deflate: deflateSync(TEXT),
  'gzip, br': brotliCompressSync(gzipSync(TEXT)),
  identity: Buffer.from(TEXT),
};
let answer: { coding: string; body: Buffer; cut?: boolean };
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const length = answer.cut === true ? answer.body.length + 1 : answer.body.length;
    response.writeHead(200, { 'content-encoding': answer.coding, 'content-length': length });
    response.write(answer.body, () => (answer.cut === true ? response.destroy() : response.end()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ofAdapter = async (): Promise<string> => (await httpFetch(url)).text();
const ofGateway = async (): Promise<string> => {
  const signal = new AbortController().signal;
  const answered = await post(new URL(url), { headers: {}, body: '{}', signal, sending: async () => undefined });
  return wholeText(answered.text);
};

describe.each([
  ['an adapter', ofAdapter],
  ['the gateway', ofGateway],
])('an encoded answer, read by %s,', (_name, read) => {
  it.each(Object.entries(packed))('is unpacked: %s', async (coding, body) => {
    answer = { coding, body };
    expect(await read()).toBe(TEXT);
  });

  it('is unpacked without the header of zlib', async () => {
    answer = { coding: 'deflate', body: deflateRawSync(TEXT) };
    expect(await read()).toBe(TEXT);
  });

  it('is bounded: a small body that unpacks to much is no answer', async () => {
    answer = { coding: 'gzip', body: gzipSync(Buffer.alloc(40 * 1024 * 1024)) };
    expect(answer.body.length).toBeLessThan(100_000);
    await expect(read()).rejects.toMatchObject({ name: 'UnusableResponse' });
  });

  it.each([
    ['what is no gzip', 'gzip', Buffer.from(TEXT)],
    ['what ends early', 'gzip', gzipSync(TEXT).subarray(0, 50)],
    ['what is no brotli', 'br', Buffer.from(TEXT)],
    ['an unknown encoding', 'zstd', Buffer.from(TEXT)],
  ])('is malformed if it is %s', async (_what, coding, body) => {
    answer = { coding, body };
    await expect(read()).rejects.toMatchObject({ name: 'UnusableResponse' });
  });

  it('that is cut off is a cut connection', async () => {
    answer = { coding: 'gzip', body: gzipSync(TEXT).subarray(0, 50), cut: true };
    await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
