import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkArtifactStore } from '../../backends/artifacts/check-store.js';
import { openArtifactStore } from '../../backends/artifacts/open-artifact-store.js';
import { artifactLocation } from '../../domain/artifact-location.js';
import { homeLayout } from '../../domain/home-layout.js';
import type { ArtifactStore, OldArtifact } from '../../domain/ports/artifact-store.js';
import { ACCESS_KEY, FaultyS3, findVersitygw, S3Server, SECRET_KEY } from '../setup/versitygw.js';

const program = await findVersitygw();
if (program === null)
  process.stderr.write('SKIPPED: artifacts in S3: no versitygw in ~/go/bin; `npm run test:server` builds it\n');

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

describe.skipIf(program === null)('artifacts in S3', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-s3-'));
  const layout = homeLayout(join(dir, 'home'));
  const BUCKET = 'runs';
  let server: S3Server;
  let store: ArtifactStore;
  const env = (more: Record<string, string> = {}) => ({
    BENCH_ARTIFACTS: `s3://${BUCKET}/team/a`,
    BENCH_S3_ENDPOINT: server.endpoint,
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    ...more,
  });
  const openAt = (more: Record<string, string> = {}) => openArtifactStore(artifactLocation(layout, env(more)));
  const fileOf = (name: string) => join(server.data, BUCKET, 'team/a', name.slice(0, 2), name);
  const problem = (more: Record<string, string> = {}) =>
    checkArtifactStore(artifactLocation(layout, env(more))).then(
      () => null,
      (error: unknown) => (error as Error).message,
    );

  beforeAll(async () => {
    server = await S3Server.start(program ?? '', dir);
    mkdirSync(join(server.data, BUCKET));
    store = openAt();
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  it('stores bytes under their hash, once, and returns them', async () => {
    const bytes = Buffer.from('a submission');
    expect(await store.put(bytes)).toBe(sha256(bytes));
    expect(await store.put(bytes)).toBe(sha256(bytes));
    expect(await store.get(sha256(bytes))).toEqual(bytes);
    expect(await store.check(sha256(bytes))).toBe(bytes.length);
    expect(existsSync(fileOf(sha256(bytes)))).toBe(true);
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
    writeFileSync(fileOf(flipped), 'to be flippeD');
    expect(await store.get(flipped)).toBeNull();
    expect(await store.check(flipped)).toBeNull();
    // Young, and of the right size: only what is not there is stored again.
    await store.discard(flipped);
    expect(await store.has(flipped, 13)).toBe(false);
    await store.put(Buffer.from('to be flipped'));
    expect(await store.check(flipped)).toBe(13);
    const bytes = Buffer.from('to be truncated');
    const truncated = await store.put(bytes);
    truncateSync(fileOf(truncated), 5);
    expect(await store.check(truncated)).toBeNull();
    expect([await store.has(truncated, bytes.length), await store.has(truncated, 5)]).toEqual([false, true]);
    await store.put(bytes);
    expect(await store.get(truncated)).toEqual(bytes);
  });

  it('lists what is old, spares what is stored again, and removes the rest', async () => {
    const old = new Date(Date.now() - 3 * 3_600_000);
    const bytes = Buffer.from('stored again');
    const [again, gone] = [await store.put(bytes), await store.put(Buffer.from('not needed'))];
    for (const name of [again, gone]) utimesSync(fileOf(name), old, old);
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

  it('gives up uploads that nobody ends', async () => {
    const s3 = await import('@aws-sdk/client-s3');
    const client = new s3.S3Client({
      endpoint: server.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    });
    const name = sha256(Buffer.from('never ended'));
    await client.send(
      new s3.CreateMultipartUploadCommand({ Bucket: BUCKET, Key: `team/a/${name.slice(0, 2)}/${name}` }),
    );
    const [upload] = (await all(store, later())).filter((one) => one.sha256 === null);
    expect(await store.remove(upload?.name ?? '', later())).toBe(true);
    expect((await all(store, later())).filter((one) => one.sha256 === null)).toEqual([]);
    client.destroy();
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
    expect(await problem({ AWS_SECRET_ACCESS_KEY: 'wrong' })).toMatch(/refuses AWS_SECRET_ACCESS_KEY/);
    expect(await problem({ AWS_ACCESS_KEY_ID: 'AKNOBODY' })).toMatch(/does not know these credentials/);
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    expect(await problem({ AWS_ACCESS_KEY_ID: '' })).toMatch(/no credentials/);
  });

  it.each([
    [507, 'XMinioStorageFull', /is full: its quota is used up/],
    [403, 'RequestTimeTooSkewed', /refuses this host's clock/],
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
