import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BenchError } from '../domain/errors.js';
import type { HomeLayout } from '../domain/home/layout.js';
import { type PreparedData, type PreparedFile } from '../domain/task/data.js';
import type { TaskBaseline } from '../domain/task/profile.js';
import { targetOnSample } from '../domain/task/target.js';
import type { TaskFolder } from '../domain/task/task.js';
import { fileDigest } from './folder-hash.js';

export const MANIFEST = 'manifest.json';

const manifestSchema = z.strictObject({
  schema: z.literal(1),
  task: z.string(),
  version: z.string(),
  sample: z.boolean(),
  preparedAt: z.string(),
  sources: z.array(z.strictObject({ name: z.string(), sha256: z.string(), licence: z.string() })),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type DataManifest = z.infer<typeof manifestSchema>;

/** A hash of prepare.py and of `data` in task.yaml; other changes keep the data valid. */
export function dataVersion(task: TaskFolder): string {
  const { sources, agent, hidden } = dataOf(task);
  return createHash('sha256')
    .update(JSON.stringify([task.spec.id, sources.map(({ name, sha256 }) => [name, sha256]), agent, hidden]))
    .update(readFileSync(join(task.dir, 'prepare.py')))
    .digest('hex')
    .slice(0, 12);
}

const dataOf = ({ spec }: TaskFolder) => {
  if (spec.data === undefined) throw new Error(`task ${spec.id} has no data`);
  return spec.data;
};

/** SHA-256 over paths and checksums, hex; in the order of the paths. */
export function dataHash(files: readonly PreparedFile[]): string {
  const hash = createHash('sha256');
  for (const { path, bytes, sha256 } of files) hash.update(`${path}\0${bytes}\0${sha256}\n`);
  return hash.digest('hex');
}

export const readManifest = (dir: string): DataManifest =>
  manifestSchema.parse(JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8')));

/** Null: not prepared. Throws BenchError if they have changed on disk. */
export function findPrepared(layout: HomeLayout, task: TaskFolder, sample: boolean): PreparedData | null {
  const dir = layout.preparedData(task.spec.id, dataVersion(task), sample);
  if (!existsSync(join(dir, MANIFEST))) return null;
  const { files } = readManifest(dir);
  const changed = files.find(({ path, sha256 }) => fileDigest(join(dir, path)) !== sha256);
  if (changed !== undefined)
    throw new BenchError(
      'failed',
      `the prepared data of task ${task.spec.id} have changed: ${join(dir, changed.path)}`,
      {
        code: 'data.changed',
        remedy: `Prepare them again: ${prepareCommand([task.spec.id])}`,
        fields: { ...(sample && { sample: true }), force: true },
      },
    );
  return { dir, hash: dataHash(files), sample, files };
}

export const prepareCommand = (ids: readonly string[]): string => `bench tasks prepare ${ids.join(' ')}`;

export const hashWithData = (folderHash: string, data: string): string =>
  createHash('sha256').update(`task\0${folderHash}\0data\0${data}`).digest('hex');

/** The data become part of its hash; sample data have another baseline and target. */
export function withData(task: TaskFolder, data: PreparedData): TaskFolder {
  const { baseline, target, ...spec } = task.spec;
  return {
    ...task,
    spec: {
      ...spec,
      ...(baseline !== undefined && { baseline: data.sample ? onSample(baseline) : baseline }),
      ...(target !== undefined && { target: data.sample ? targetOnSample(target) : target }),
    },
    contentHash: hashWithData(task.contentHash, data.hash),
    data,
  };
}

function onSample({ value: _, standardError: __, sample, ...rest }: TaskBaseline): TaskBaseline {
  return { ...rest, ...sample, ...(sample !== undefined && { sample }) };
}

export function attachData(
  layout: HomeLayout,
  tasks: readonly TaskFolder[],
  sample: boolean,
): { ready: TaskFolder[]; missing: TaskFolder[] } {
  const ready: TaskFolder[] = [];
  const missing: TaskFolder[] = [];
  for (const task of tasks) {
    if (task.spec.data === undefined) {
      ready.push(task);
      continue;
    }
    const data = findPrepared(layout, task, sample);
    if (data === null) missing.push(task);
    else ready.push(withData(task, data));
  }
  return { ready, missing };
}
