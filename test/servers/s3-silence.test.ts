import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createS3ArtifactStore } from '../../backends/artifacts/s3-artifact-store.js';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';

const MB = 1024 * 1024;
const SILENCE_MS = 300;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A store of S3 that is slow, or falls silent. */
describe('artifacts in S3 on a bad line', () => {
  let server: Server;
  /** In the order in which they came. */
  let asked: string[];
  const storeAt = async (
    answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
    { heads = true, silenceMs = SILENCE_MS } = {},
  ): Promise<ArtifactStore> => {
    asked = [];
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
      const part = searchParams.get('partNumber');
      asked.push(`${request.method}${part === null ? '' : ` ${part}`}${pathname.startsWith('/runs/') ? '' : ' ?'}`);
      if (request.method === 'HEAD' && heads) response.writeHead(404).end();
      else void Promise.resolve(answer(request, response)).catch(() => response.destroy());
    });
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    return createS3ArtifactStore(
      {
        ...{ kind: 's3', shared: true, bucket: 'runs', prefix: '', publicEndpoint: undefined, pathStyle: true },
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        ...{ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
        spool: join(tmpdir(), 'bench-s3-silence'),
      },
      { silenceMs },
    );
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('are sent for as long as bytes flow, and once', async () => {
    const bytes = Buffer.alloc(20 * MB, 'a large submission ');
    const received = new Map<string, number>();
    const store = await storeAt(async (request, response) => {
      const begun = Date.now();
      let count = 0;
      for await (const chunk of request) {
        count += (chunk as Buffer).length;
        // Slowly, for several times the longest allowed silence; the rest at once.
        if (Date.now() - begun < 3 * SILENCE_MS) await sleep(5);
      }
      const { searchParams: query } = new URL(request.url ?? '/', 'http://store');
      if (query.has('uploads'))
        response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
      else if (request.method === 'POST') response.end('<CompleteMultipartUploadResult/>');
      else {
        received.set(query.get('partNumber') ?? 'whole', count);
        response.writeHead(200, { etag: '"e"' }).end();
      }
    });
    expect(await store.put(bytes)).toBe(sha256(bytes));
    expect(asked.toSorted()).toEqual(['HEAD', 'POST', 'POST', 'PUT 1', 'PUT 2', 'PUT 3']);
    expect([...received.values()].every((count) => count >= 4 * MB)).toBe(true);
  });

  it('are one request where they are small', async () => {
    const store = await storeAt((request, response) => {
      request.resume();
      request.on('end', () => response.end());
    });
    await store.put(Buffer.from('a submission'));
    expect(asked).toEqual(['HEAD', 'PUT']);
  });

  it('are read for as long as bytes flow', async () => {
    const bytes = Buffer.from('a submission, byte by byte');
    const store = await storeAt(async (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await sleep(SILENCE_MS / 10);
      }
      response.end();
    });
    expect(await store.get(sha256(bytes))).toEqual(bytes);
    expect(asked).toEqual(['GET']);
  });

  it('are given up when the rest does not come', async () => {
    const store = await storeAt((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('ten bytes.');
    });
    const begun = Date.now();
    await expect(store.get('0'.repeat(64))).rejects.toThrow(/does not answer .*inactivity/);
    await expect(store.check('0'.repeat(64))).rejects.toThrow(/does not answer/);
    expect(Date.now() - begun).toBeLessThan(20 * SILENCE_MS);
  });

  const stream = async function* (bytes: Buffer) {
    yield bytes;
  };
  /** Its own bound is an hour: only that of the snapshot can end this in time. */
  const PATIENT_MS = 3_600_000;

  it('that a run waits for are given up where the store takes none of them, without another try', async () => {
    for (const heads of [false, true])
      for (const size of [10, 20 * MB]) {
        const store = await storeAt(
          (request, response) => {
            const { searchParams: query } = new URL(request.url ?? '/', 'http://store');
            if (query.has('uploads'))
              response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
          },
          { heads, silenceMs: PATIENT_MS },
        );
        const stored = store.putStream(stream(Buffer.alloc(size, 's')), { silenceMs: SILENCE_MS });
        await expect(stored).rejects.toThrow(/artifact store s3:.* does not answer/);
        expect(new Set(asked).size).toBe(asked.length);
        server.closeAllConnections();
        server.close();
      }
  });

  it('that a run waits for are sent again where the store answers, and refuses them at first', async () => {
    const bytes = Buffer.alloc(4 * MB, 's');
    let refused = 0;
    const store = await storeAt(
      async (request, response) => {
        for await (const _ of request);
        if (refused++ === 0) response.writeHead(503).end();
        else response.end();
      },
      { silenceMs: PATIENT_MS },
    );
    expect(await store.putStream(stream(bytes), { silenceMs: 30_000 })).toMatchObject({ sha256: sha256(bytes) });
    expect(asked).toEqual(['HEAD', 'PUT', 'PUT']);
  });

  it('are asked for again where no answer comes', async () => {
    const bytes = Buffer.from('at the second time');
    const store = await storeAt((_, response) => {
      if (asked.length > 1) response.end(bytes);
    });
    expect(await store.get(sha256(bytes))).toEqual(bytes);
    expect(asked).toEqual(['GET', 'GET']);
  });
});
