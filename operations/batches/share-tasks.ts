import { createReadStream, existsSync } from 'node:fs';
import { archiveTask, dataOfFrozen } from '../../catalog/index.js';
import { artifactLocation } from '../../domain/artifact-location.js';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';
import type { TaskArchives } from '../../domain/ports/record/task-archives.js';
import { artifactsOf } from '../artifacts.js';
import type { Bench } from '../bench.js';

/** Where hosts share an artifact store, they find frozen tasks there. What is missing in it, or damaged, is stored again. */
export async function shareTasks(bench: Bench, frozen: readonly { hash: string; dir: string }[]): Promise<void> {
  const { layout, env } = bench.settings;
  if (!artifactLocation(layout, env).shared) return;
  const { store } = await bench.database();
  const artifacts = artifactsOf(bench);
  for (const task of new Map(frozen.map((one) => [one.hash, one])).values()) await shareTask(store, artifacts, task);
}

/** The same for runs that are stored already, or go on from others: the tasks of which this home has the frozen copy. */
export async function shareFrozen(bench: Bench, hashes: readonly string[]): Promise<void> {
  const { layout } = bench.settings;
  const copies = [...new Set(hashes)].map((hash) => ({ hash, dir: layout.frozenTask(hash) }));
  await shareTasks(
    bench,
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
