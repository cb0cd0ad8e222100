import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifactPath, createFileArtifactStore } from '../../backends/artifacts/file-artifact-store.js';
import { archiveTask, freezeTask, hashFolder, loadTask, withData } from '../../catalog/index.js';
import { dataHash } from '../../catalog/prepared-data.js';
import { type Database, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { shareTask } from '../../operations/batches/share-tasks.js';
import { taskFolders } from '../../worker/task-folders.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { configs, folder } from '../unit/catalog/fixtures.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A task with data, made up for this test; as if `bench tasks prepare` had been run in `home`. */
function taskWithData(home: string): { task: TaskFolder; files: { sha256: string; bytes: number; path: string }[] } {
  const dir = configs({ 'tasks/coin/starter/run.sh': 'echo', 'tasks/coin/README.md': randomBytes(8).toString('hex') });
  chmodSync(join(dir, 'tasks/coin/starter/run.sh'), 0o755);
  const prepared = homeLayout(home).preparedData('coin', 'v1', false);
  const files = ['agent/data/train.csv', 'hidden/labels.csv'].map((path) => {
    const bytes = randomBytes(3_000_000);
    mkdirSync(dirname(join(prepared, path)), { recursive: true });
    writeFileSync(join(prepared, path), bytes);
    return { path, bytes: bytes.length, sha256: sha256(bytes) };
  });
  const manifest = { schema: 1, task: 'coin', version: 'v1', sample: false, preparedAt: '', sources: [], files };
  writeFileSync(join(prepared, 'manifest.json'), JSON.stringify(manifest));
  const task = withData(loadTask([dir], 'coin'), { dir: prepared, hash: dataHash(files), sample: false, files });
  return { task, files };
}

/** A home that submits and one that plays, which share a store and nothing else. */
function twoHomes() {
  const [submitter, player, store] = [folder({}), folder({}), folder({})];
  const artifacts = createFileArtifactStore(store);
  const folderOf = taskFolders({ layout: homeLayout(player), configFolders: [], store: db.store, artifacts });
  const share = (task: TaskFolder) =>
    shareTask(db.store, artifacts, { hash: task.contentHash, dir: freezeTask(homeLayout(submitter), task) });
  const play = (task: TaskFolder) => folderOf({ task: task.spec, taskHash: task.contentHash });
  return { submitter, player, store, artifacts, share, play };
}

describe('a frozen task', () => {
  it('is found in the artifact store by a host without it, whole, once, and with the same hash', async () => {
    const { submitter, player, share, play } = twoHomes();
    const { task } = taskWithData(submitter);
    await expect(play(task)).rejects.toMatchObject({ code: 'task.unavailable' });
    await share(task);
    const [dir, again] = await Promise.all([play(task), play(task)]);
    expect([dir, again]).toEqual(Array(2).fill(homeLayout(player).frozenTask(task.contentHash)));
    expect(hashFolder(dir)).toBe(hashFolder(homeLayout(submitter).frozenTask(task.contentHash)));
    expect(statSync(join(dir, 'starter/run.sh')).mode & 0o777).toBe(0o755);
    // It holds what agents may not see.
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(readdirSync(homeLayout(player).tasks)).toEqual([task.contentHash]);
  });

  it('makes the same archive on every machine', async () => {
    const bytesOf = async (home: string) => {
      const task = loadTask([configs()], 'coin');
      const chunks: Uint8Array[] = [];
      for await (const chunk of archiveTask(freezeTask(homeLayout(home), task))) chunks.push(chunk);
      return sha256(Buffer.concat(chunks));
    };
    expect(await bytesOf(folder({}))).toBe(await bytesOf(folder({})));
  });

  it('takes data that were prepared on the host too from there, unless they have changed', async () => {
    const { submitter, player, store, share, play } = twoHomes();
    const { task, files } = taskWithData(submitter);
    await share(task);
    const theirs = homeLayout(player).preparedData('coin', 'v1', false);
    mkdirSync(dirname(theirs), { recursive: true });
    const { execa } = await import('execa');
    await execa('cp', ['-r', homeLayout(submitter).preparedData('coin', 'v1', false), theirs]);
    writeFileSync(join(theirs, files[0]!.path), 'changed');
    rmSync(artifactPath(store, files[1]!.sha256));
    expect(hashFolder(await play(task))).toBe(hashFolder(homeLayout(submitter).frozenTask(task.contentHash)));
  });

  it('is kept by `bench prune`, with its data', async () => {
    const { submitter, share } = twoHomes();
    const { task, files } = taskWithData(submitter);
    await share(task);
    const { archives } = await db.pruning.neededArtifacts({ withoutOlderThanDays: 0 });
    expect(archives).toContain(await db.store.taskArchive(task.contentHash));
    for (const file of files) expect(archives).toContain(file.sha256);
  });
});

describe('garbage in the store', () => {
  const damages: [string, (path: string) => void][] = [
    ['missing', (path) => rmSync(path)],
    ['truncated', (path) => truncateSync(path, 700)],
    ['flipped', (path) => flip(path)],
  ];
  const flip = (path: string): void => {
    const { size } = statSync(path);
    writeFileSync(path, randomBytes(size));
  };
  for (const [what, damage] of damages)
    for (const part of ['the archive', 'a prepared file'])
      it(`${part} that is ${what} is told, leaves nothing, and is stored again by the next submission`, async () => {
        const { submitter, player, store, share, play } = twoHomes();
        const { task, files } = taskWithData(submitter);
        await share(task);
        const name =
          part === 'the archive' ? ((await db.store.taskArchive(task.contentHash)) ?? '') : (files[0]?.sha256 ?? '');
        damage(artifactPath(store, name));
        await expect(play(task)).rejects.toMatchObject({
          name: 'InfrastructureError',
          message: expect.stringMatching(
            /^task coin \(content [0-9a-f]{12}\) cannot be loaded from the artifact store: /,
          ) as string,
        });
        expect(readdirSync(homeLayout(player).tasks)).toEqual([]);
        await share(task);
        expect(hashFolder(await play(task))).toBe(hashFolder(homeLayout(submitter).frozenTask(task.contentHash)));
      });
});
