import { createReadStream, existsSync } from 'node:fs';
import { archiveTask, dataOfFrozen } from '../../catalog/index.js';
import { artifactLocation } from '../../domain/home/artifact-location.js';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';
import type { TaskArchives } from '../../domain/ports/record/task-archives.js';
import { artifactsOf } from '../artifacts.js';
import type { BenchSettings } from '../settings.js';

export interface ShareTasksPorts {
  settings: Pick<BenchSettings, 'layout' | 'env'>;
  store: TaskArchives;
}

/** Hosts find frozen tasks in a shared store. Stores missing or damaged copies again. */
export async function shareTasks(
  { settings, store }: ShareTasksPorts,
  frozen: readonly { hash: string; dir: string }[],
): Promise<void> {
  if (!artifactLocation(settings.layout, settings.env).shared) return;
  const artifacts = artifactsOf({ settings });
  for (const task of new Map(frozen.map((one) => [one.hash, one])).values()) await shareTask(store, artifacts, task);
}

/** The same for stored or continuing runs: the tasks whose frozen copy this home has. */
export async function shareFrozen(ports: ShareTasksPorts, hashes: readonly string[]): Promise<void> {
  const { layout } = ports.settings;
  const copies = [...new Set(hashes)].map((hash) => ({ hash, dir: layout.frozenTask(hash) }));
  await shareTasks(
    ports,
    copies.filter(({ dir }) => existsSync(dir)),
  );
}

export async function shareTask(
  store: TaskArchives,
  artifacts: ArtifactStore,
  { hash, dir }: { hash: string; dir: string },
): Promise<void> {
  const known = await store.taskArchive(hash);
  const data = dataOfFrozen(dir);
  const missing = [];
  for (const file of data) if (!(await artifacts.has(file.sha256, file.bytes))) missing.push(file);
  const whole = known !== null && (await artifacts.check(known)) !== null;
  if (whole && missing.length === 0) return;
  if (known !== null && !whole) await artifacts.discard(known);
  for (const { from } of missing) await artifacts.putStream(createReadStream(from));
  await store.saveTaskArchive(hash, await artifacts.putStream(archiveTask(dir)), data);
}
