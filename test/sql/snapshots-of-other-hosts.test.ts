import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findSnapshot } from '../../activities/find-snapshot.js';
import { createFileArtifactStore } from '../../backends/artifacts/file-artifact-store.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { InfrastructureError } from '../../domain/errors.js';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';
import type { Backends } from '../../domain/ports/backends.js';
import type { KeptDisks } from '../../domain/ports/sandbox-port.js';
import { diskArchiver } from '../../worker/archive-disks.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const never = new AbortController().signal;
const log = { warn: () => undefined, debug: () => undefined };
let db: Database;
let dir: string;
let artifacts: ArtifactStore;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 4 });
  dir = mkdtempSync(join(tmpdir(), 'bench-artifacts-'));
  artifacts = createFileArtifactStore(dir);
});
afterAll(async () => {
  await db.close();
  rmSync(dir, { recursive: true });
});

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

/** A host's disks, whose archives say their names. */
function disksOf(names: string[]): KeptDisks {
  return {
    keep: () => Promise.resolve(null),
    has: (name) => Promise.resolve(names.includes(name)),
    async *archive(name) {
      await Promise.resolve();
      if (name.endsWith('large')) throw new Error('more than 10 bytes');
      yield Buffer.from(name);
    },
  };
}
const archiverOf = (hostId: string, names: string[], into = artifacts) => {
  const backend = { sandbox: { disks: disksOf(names) } };
  const backends = { docker: backend, podman: backend, local: backend } as unknown as Backends;
  return diskArchiver({ store: db.store, backends, artifacts: into, hostId, log });
};
const alive = (hostId: string) =>
  db.store.registerHost({ hostId, hostname: hostId, cpus: 1, memoryMb: 1, gpus: [], backends: ['docker'] });

/** A run with kept disks of these names on a host, one a step. */
async function runWith(diskHost: string, ...names: string[]): Promise<{ runId: string; disks: string[] }> {
  const batch = submission(null, (id) => [run(id, task('t'), 'm', 1)]);
  await db.intake.submit(batch);
  const runId = batch.runs[0]?.runId ?? '';
  await alive(diskHost);
  const disks = names.map((name) => `${runId}-${name}`);
  for (const [i, disk] of disks.entries())
    await db.store.saveSnapshot({
      ...{ runId, step: i + 1, epoch: 1, artifact: null, bytes: null, disk, diskHost },
      ...{ reason: 'interval', archiveWanted: false },
    });
  return { runId, disks };
}
const findOn = (hostId: string, runId: string, names: string[] = [], signal = never) =>
  findSnapshot({ store: db.store, artifacts, disks: disksOf(names), hostId }, runId, 9, signal);
const told = async (runId: string) =>
  (
    await db.pool.query<{ kind: string; detail: string }>(
      'select kind, detail from events where run_id = $1 order by at',
      [runId],
    )
  ).rows.map(({ kind, detail }) => `${kind}: ${detail}`);

test('the host that has the disk starts from it; one that has lost it takes the archive, or the snapshot before', async () => {
  const { runId, disks } = await runWith('a', 'one', 'two');
  const [one = '', two = ''] = disks;
  expect(await findOn('a', runId, disks)).toMatchObject({ snapshot: { step: 2 }, restore: { disk: two } });
  await db.store.saveArchive(two, await artifacts.putStream(pieces('of two')));
  expect(await findOn('a', runId, [one])).toMatchObject({ snapshot: { step: 2 }, restore: { bytes: 6 } });
  const other = await runWith('a', 'one', 'two');
  expect(await findOn('a', other.runId, [other.disks[0] ?? ''])).toMatchObject({ snapshot: { step: 1 } });
  expect(await told(other.runId)).toEqual([expect.stringContaining('is not on this host any more')]);
});

test('another host asks for the archive, waits until it is made, and starts from that', async () => {
  const { runId, disks } = await runWith('a', 'asked');
  await alive('b');
  const found = findOn('b', runId);
  const archive = archiverOf('a', disks);
  for (let wanted = false; !wanted;) {
    wanted = (await db.store.archivesWanted('a')).some((one) => one.disk === disks[0]);
    await archiverOf('b', []).round();
  }
  await archive.round();
  const { restore } = (await found) ?? {};
  if (restore === undefined || 'disk' in restore) throw new Error('no archive was found');
  const read: Uint8Array[] = [];
  for await (const piece of restore.open()) read.push(piece);
  expect(Buffer.concat(read).toString()).toBe(disks[0]);
});

test('a host that makes no archive, or is not heard, is not waited for: the snapshot is forgotten, with an event', async () => {
  const { runId } = await runWith('a', 'too-large');
  const found = findOn('b', runId);
  for (let wanted = false; !wanted;) wanted = (await db.store.archivesWanted('a')).some((one) => one.runId === runId);
  await archiverOf('a', [`${runId}-too-large`]).round();
  expect(await found).toBeNull();
  expect(await told(runId)).toEqual([
    'snapshot_failed: no archive of the snapshot after step 1: more than 10 bytes',
    expect.stringMatching(/^snapshot_missing: .*host a, which has its disk, does not archive it/),
  ]);
  const silent = await runWith('silent', 'one');
  await db.pool.query("update hosts set seen_at = now() - interval '1 hour' where host_id = 'silent'");
  expect(await findOn('b', silent.runId)).toBeNull();
  expect(await told(silent.runId)).toHaveLength(1);
});

test('an archive that the store could not take stays wanted, and is made once it answers again', async () => {
  const { runId, disks } = await runWith('a', 'one', 'two');
  for (const disk of disks) await db.store.wantArchive(disk);
  let away = true;
  let tries = 0;
  const store: ArtifactStore = {
    ...artifacts,
    putStream: (content) => {
      tries++;
      return away ? Promise.reject(new InfrastructureError('the store does not answer')) : artifacts.putStream(content);
    },
  };
  const archive = archiverOf('a', disks, store);
  const now = vi.spyOn(Date, 'now');
  try {
    await archive.round();
    await archive.round();
    expect(tries, 'right after a failure, none is tried').toBe(1);
    away = false;
    now.mockReturnValue(Date.now() + 31_000);
    await archive.round();
  } finally {
    now.mockRestore();
  }
  expect(tries).toBe(3);
  for (const disk of disks) expect(await db.store.archiveOf(disk)).toBe('made');
  expect(await told(runId)).toEqual([
    'snapshot_failed: the archive of the snapshot after step 2 is late; it is retried: the store does not answer',
  ]);
});

test('a host that leaves tries each archive at once, whatever failed before, and those of runs that go on first', async () => {
  const [ended, going] = [await runWith('leaver', 'one', 'late'), await runWith('leaver', 'one', 'two')];
  await db.store.finishRun(ended.runId, { endReason: 'submit', finalEvaluation: 'ok', detail: null });
  for (const disk of [...ended.disks, ...going.disks]) await db.store.wantArchive(disk);
  const tried: string[] = [];
  let away = true;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const store: ArtifactStore = {
    ...artifacts,
    async putStream(content) {
      let text = '';
      for await (const piece of content) text += Buffer.from(piece).toString();
      tried.push(text);
      if (away) await released;
      if (away || text.endsWith('late')) throw new InfrastructureError('the store does not answer');
      return artifacts.putStream(pieces(text));
    },
  };
  const archiver = archiverOf('leaver', [...ended.disks, ...going.disks], store);
  const running = archiver.round();
  await vi.waitFor(() => expect(tried).toHaveLength(1));
  const last = archiver.last();
  release();
  await running;
  away = false;
  await last;
  const [one = '', two = ''] = going.disks;
  expect(tried).toEqual([two, two, one, ended.disks[1], ended.disks[0]]);
  for (const disk of [one, two, ended.disks[0] ?? '']) expect(await db.store.archiveOf(disk)).toBe('made');
  expect(await db.store.archiveOf(ended.disks[1] ?? '')).toBe('wanted');
});

test('a store that is away for a day is not waited for', async () => {
  const { runId, disks } = await runWith('a', 'one');
  await db.store.wantArchive(disks[0] ?? '');
  await db.pool.query("update snapshots set archive_requested_at = now() - interval '25 hours' where run_id = $1", [
    runId,
  ]);
  const store = { ...artifacts, putStream: () => Promise.reject(new InfrastructureError('away')) };
  await archiverOf('a', disks, store).round();
  expect(await db.store.archiveOf(disks[0] ?? '')).toBe('refused');
  expect(await told(runId)).toEqual(['snapshot_failed: no archive of the snapshot after step 1: away']);
});
