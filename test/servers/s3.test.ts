import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateMultipartUploadCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkArtifactStore } from '../../backends/artifacts/check-store.js';
import { openArtifactStore } from '../../backends/artifacts/open-artifact-store.js';
import { artifactLocation } from '../../domain/home/artifact-location.js';
import { homeLayout } from '../../domain/home/layout.js';
import type { ArtifactStore, OldArtifact } from '../../domain/ports/artifact-store.js';
import { ACCESS_KEY, FaultyS3, isBuilt, MINIO, S3Server, SECRET_KEY, VERSITYGW } from '../setup/s3-servers.js';
import { notTested } from '../setup/not-tested.js';

const BUCKET = 'runs';
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const MB = 1024 * 1024;
/** Differs from block to block. */
async function* blocks(count: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(MB, `block ${i} `);
}
const all = async (store: ArtifactStore, before: Date): Promise<OldArtifact[]> => {
  const found: OldArtifact[] = [];
  for await (const one of store.storedBefore(before)) found.push(one);
  return found;
};
const later = (): Date => new Date(Date.now() + 60_000);

if (!(await isBuilt(VERSITYGW)))
  notTested('artifacts in S3', 'no versitygw in ~/go/bin; `npm run test:server` has Go build it');
/** The second server is asked by `npm run test:server` alone. */
const SERVERS = process.env['BENCH_TEST_SERVERS'] === '1' ? [VERSITYGW, MINIO] : [VERSITYGW];

describe.each(SERVERS)('artifacts in S3, of $name', async (program) => {
  if (!(await isBuilt(program))) return it.skip('is not built');
  const dir = mkdtempSync(join(tmpdir(), 'bench-s3-'));
  const layout = homeLayout(join(dir, 'home'));
  let server: S3Server;
  let client: S3Client;
  let store: ArtifactStore;
  const env = (more: Record<string, string> = {}) => ({
    BENCH_ARTIFACTS: `s3://${BUCKET}/team/a`,
    BENCH_S3_ENDPOINT: server.endpoint,
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    ...more,
  });
  const openAt = (more: Record<string, string> = {}) => openArtifactStore(artifactLocation(layout, env(more)));
  const keyOf = (name: string) => ({ Bucket: BUCKET, Key: `team/a/${name.slice(0, 2)}/${name}` });
  /** As nobody of bench would. */
  const overwrite = (name: string, text: string) =>
    client.send(new PutObjectCommand({ ...keyOf(name), Body: text, ContentLength: text.length }));
  const problem = (more: Record<string, string> = {}) =>
    checkArtifactStore(artifactLocation(layout, env(more))).then(
      () => null,
      (error: unknown) => (error as Error).message,
    );

  beforeAll(async () => {
    server = await S3Server.start(program, dir);
    await server.createBucket(BUCKET);
    client = await server.client();
    store = openAt();
  });
  afterAll(async () => {
    client.destroy();
    await server.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  it('stores bytes under their hash, once, and returns them', async () => {
    const bytes = Buffer.from('a submission');
    expect(await store.put(bytes)).toBe(sha256(bytes));
    expect(await store.put(bytes)).toBe(sha256(bytes));
    expect(await store.get(sha256(bytes))).toEqual(bytes);
    expect(await store.check(sha256(bytes))).toBe(bytes.length);
    expect((await client.send(new HeadObjectCommand(keyOf(sha256(bytes))))).ContentLength).toBe(bytes.length);
    expect(await store.get('0'.repeat(64))).toBeNull();
    await expect(async () => {
      for await (const _ of store.open('0'.repeat(64)));
    }).rejects.toThrow(/is gone from s3:\/\/runs\/team\/a/);
  });

  it('sends a stream in parts and leaves nothing on the way', async () => {
    const stored = await store.putStream(blocks(40));
    expect(stored.bytes).toBe(40 * MB);
    expect(await store.check(stored.sha256)).toBe(40 * MB);
    const hash = createHash('sha256');
    for await (const chunk of store.open(stored.sha256)) hash.update(chunk);
    expect(hash.digest('hex')).toBe(stored.sha256);
    expect(readdirSync(join(layout.artifacts, 'outgoing'))).toEqual([]);
  });

  it('stores nothing of a stream that fails', async () => {
    const before = (await all(store, later())).length;
    await expect(
      store.putStream(
        (async function* () {
          yield* blocks(2);
          throw new Error('the workspace is gone');
        })(),
      ),
    ).rejects.toThrow('the workspace is gone');
    expect(await all(store, later())).toHaveLength(before);
    expect(readdirSync(join(layout.artifacts, 'outgoing'))).toEqual([]);
  });

  it('finds flipped bytes, and writes a truncated object again', async () => {
    const flipped = await store.put(Buffer.from('to be flipped'));
    await overwrite(flipped, 'to be flippeD');
    expect(await store.get(flipped)).toBeNull();
    expect(await store.check(flipped)).toBeNull();
    // Young, and of the right size: only what does not exist is stored again.
    await store.discard(flipped);
    expect(await store.has(flipped, 13)).toBe(false);
    await store.put(Buffer.from('to be flipped'));
    expect(await store.check(flipped)).toBe(13);
    const bytes = Buffer.from('to be truncated');
    const truncated = await store.put(bytes);
    await overwrite(truncated, 'to be');
    expect(await store.check(truncated)).toBeNull();
    expect([await store.has(truncated, bytes.length), await store.has(truncated, 5)]).toEqual([false, true]);
    await store.put(bytes);
    expect(await store.get(truncated)).toEqual(bytes);
  });

  it('removes what is old enough, and nothing that is younger', async () => {
    const [kept, gone] = [await store.put(Buffer.from('needed')), await store.put(Buffer.from('not needed'))];
    const before = new Date(Date.now() - 3_600_000);
    expect(await all(store, before)).toEqual([]);
    const listed = await all(store, later());
    expect(listed.map((one) => one.sha256)).toEqual(expect.arrayContaining([kept, gone]));
    const { name } = listed.find((one) => one.sha256 === gone)!;
    expect(await store.remove(name, before)).toBe(false);
    expect(await store.get(gone)).not.toBeNull();
    expect(await store.remove(name, later())).toBe(true);
    expect(await store.remove(name, later())).toBe(false);
    expect([await store.get(gone), (await store.get(kept))?.toString()]).toEqual([null, 'needed']);
  });

  // MinIO lists uploads by their whole key alone, and gives them up by itself after a day.
  it.skipIf(program === MINIO)('gives up uploads that nobody ends', async () => {
    const name = sha256(Buffer.from('never ended'));
    await client.send(new CreateMultipartUploadCommand(keyOf(name)));
    const [upload] = (await all(store, later())).filter((one) => one.sha256 === null);
    expect(await store.remove(upload?.name ?? '', later())).toBe(true);
    expect((await all(store, later())).filter((one) => one.sha256 === null)).toEqual([]);
  });

  it('gives an address where anyone may fetch one thing for a while', async () => {
    const stored = await store.put(Buffer.from('a snapshot'));
    const url = await store.link(stored, 'run "1".tar.gz', 60);
    const got = await fetch(url ?? '');
    expect([got.status, await got.text(), got.headers.get('content-disposition')]).toEqual([
      ...[200, 'a snapshot', 'attachment; filename="run__1_.tar.gz"'],
    ]);
    const other = await store.put(Buffer.from('another snapshot'));
    for (const forged of [
      url?.replaceAll(stored, other).replace(`/${stored.slice(0, 2)}/`, `/${other.slice(0, 2)}/`),
      url?.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'),
      url?.split('?')[0],
    ])
      expect((await fetch(forged ?? '')).status).toBe(403);
    expect(url).not.toContain(SECRET_KEY);
    const brief = await store.link(stored, 'x', 1);
    await vi.waitFor(async () => expect((await fetch(brief ?? '')).status).toBe(403), {
      timeout: 20_000,
      interval: 200,
    });
  });

  it('signs for the address that browsers reach', async () => {
    const stored = await store.put(Buffer.from('a snapshot'));
    const outside = openAt({ BENCH_S3_PUBLIC_ENDPOINT: 'https://files.example' });
    expect(await outside.link(stored, 'x', 60)).toMatch(new RegExp(`^https://files\\.example/${BUCKET}/team/a/`));
    expect(await outside.get(stored)).not.toBeNull();
  });

  it('survives a server that is killed, and one that answers 503', async () => {
    const stored = await store.put(Buffer.from('before the kill'));
    await server.kill();
    await expect(store.get(stored)).rejects.toThrow(/does not answer/);
    await server.go();
    expect(await store.get(stored)).not.toBeNull();
    const faulty = await FaultyS3.before(server);
    try {
      const through = openAt({ BENCH_S3_ENDPOINT: faulty.endpoint });
      faulty.faults = { status: 503, code: 'SlowDown', left: 2 };
      expect(await through.put(Buffer.from('at the third time'))).toHaveLength(64);
      expect(faulty.answered).toBe(2);
      faulty.faults = { status: 503, code: 'SlowDown', left: 100 };
      await expect(through.get(stored)).rejects.toThrow(/answers 503/);
      faulty.faults.left = 0;
      expect(await through.get(stored)).not.toBeNull();
    } finally {
      faulty.close();
    }
  });

  it('says in a sentence what is wrong before anything starts', async () => {
    expect(await problem()).toBeNull();
    expect(await problem({ BENCH_ARTIFACTS: 's3://no-such-bucket' })).toMatch(/there is no such bucket/);
    expect(await problem({ BENCH_S3_ENDPOINT: 'http://127.0.0.1:1' })).toMatch(/does not answer \(ECONNREFUSED/);
    expect(await problem({ AWS_SECRET_ACCESS_KEY: 'wrong' })).toMatch(/rejects AWS_SECRET_ACCESS_KEY/);
    expect(await problem({ AWS_ACCESS_KEY_ID: 'AKNOBODY' })).toMatch(/does not recognize these credentials/);
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    expect(await problem({ AWS_ACCESS_KEY_ID: '' })).toMatch(/no credentials/);
  });

  it.each([
    [507, 'XMinioStorageFull', /is full: its quota is used up/],
    [403, 'RequestTimeTooSkewed', /rejects this host's requests: its clock/],
    [403, 'AccessDenied', /denies access/],
    [400, 'AuthorizationHeaderMalformed', /is in another region than AWS_REGION says/],
  ])('says what %i %s means', async (status, code, sentence) => {
    const faulty = await FaultyS3.before(server);
    try {
      faulty.faults = { status, code, left: 100 };
      expect(await problem({ BENCH_S3_ENDPOINT: faulty.endpoint })).toMatch(sentence);
    } finally {
      faulty.close();
    }
  });
});

describe('artifacts in S3 that are old', async () => {
  if (!(await isBuilt(VERSITYGW))) return it.skip('is not built');
  const dir = mkdtempSync(join(tmpdir(), 'bench-s3-'));
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start(VERSITYGW, dir);
    await server.createBucket(BUCKET);
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  // Only this server has its times where a test can set them.
  it('are listed, and spared if they are stored again', async () => {
    const store = openArtifactStore(
      artifactLocation(homeLayout(join(dir, 'home')), {
        ...{ BENCH_ARTIFACTS: `s3://${BUCKET}/a`, BENCH_S3_ENDPOINT: server.endpoint },
        ...{ AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY },
      }),
    );
    const old = new Date(Date.now() - 3 * 3_600_000);
    const bytes = Buffer.from('stored again');
    const [again, gone] = [await store.put(bytes), await store.put(Buffer.from('not needed'))];
    for (const name of [again, gone]) utimesSync(join(server.data, BUCKET, 'a', name.slice(0, 2), name), old, old);
    const cut = new Date(Date.now() - 3_600_000);
    expect((await all(store, cut)).map((one) => one.sha256)).toEqual(expect.arrayContaining([again, gone]));
    await store.put(bytes);
    expect((await all(store, cut)).map((one) => one.sha256)).toEqual([gone]);
    for (const one of await all(store, later()))
      if (one.sha256 === again) expect(await store.remove(one.name, cut)).toBe(false);
    for (const one of await all(store, cut)) expect(await store.remove(one.name, cut)).toBe(true);
    expect(await store.get(gone)).toBeNull();
    expect(await store.get(again)).toEqual(bytes);
  });
});
