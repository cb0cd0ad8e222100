import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BenchError } from '../domain/errors.js';
import type { HomeLayout } from '../domain/home/layout.js';
import { placeInTask, type PreparedFile } from '../domain/task/data.js';
import type { TaskFolder } from '../domain/task/task.js';
import { fileDigest, folderFiles, hashFolder } from './folder-hash.js';
import { dataHash, hashWithData } from './prepared-data.js';
import { hashWithProfile } from './profiles.js';

/** In a frozen folder: which of its files are prepared data. */
const DATA_FILES = 'data.json';
/** In a frozen folder: its profile. */
const PROFILE = 'profile.json';

/** May be empty, so it needs to be made explicitly. */
export const STARTER = 'starter';

export const frozenData = (dir: string): PreparedFile[] | null => readIfThere<PreparedFile[]>(join(dir, DATA_FILES));

/** Null: its data are missing or have changed. */
export function frozenHash(dir: string): string | null {
  const files = frozenData(dir);
  const profile = readIfThere<{ profile: string }>(join(dir, PROFILE));
  const own = hashFolder(dir, new Set([DATA_FILES, PROFILE, ...(files ?? []).map(placeInTask)]));
  const played = profile === null ? own : hashWithProfile(own, profile.profile);
  if (files === null) return played;
  const changed = files.some((file) => fileDigest(join(dir, placeInTask(file))) !== file.sha256);
  return changed ? null : hashWithData(played, dataHash(files));
}

const readIfThere = <T>(file: string): T | null =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null;

const intact = (dir: string, hash: string): boolean => existsSync(join(dir, STARTER)) && frozenHash(dir) === hash;

/** So that runs play the task as submitted. Atomic, also with concurrent callers. */
export function freezeTask(layout: HomeLayout, task: TaskFolder): string {
  const target = layout.frozenTask(task.contentHash);
  if (intact(target, task.contentHash)) return target;
  const staging = join(layout.tasks, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    // The folder holds evaluator files: only the owner may look into it.
    mkdirSync(staging, { recursive: true, mode: 0o700 });
    mkdirSync(join(staging, STARTER));
    for (const file of folderFiles(task.dir)) {
      const copy = join(staging, file.path);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(task.dir, file.path), copy);
      chmodSync(copy, file.executable ? 0o755 : 0o644);
    }
    const { profile } = task.spec;
    if (profile !== undefined) writeFileSync(join(staging, PROFILE), JSON.stringify({ profile }));
    if (task.data !== undefined) addData(staging, task.data);
    if (frozenHash(staging) !== task.contentHash) {
      throw new BenchError('failed', `task ${task.spec.id} changed while it was copied`, {
        code: 'task.changed',
        remedy: 'Submit again when its files no longer change.',
      });
    }
    return putInPlace(layout, staging, task.contentHash);
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError(
      'failed',
      `cannot store task ${task.spec.id} under ${layout.tasks}: ${(cause as Error).message}`,
      {
        code: 'file.unwritable',
        remedy: 'Free disk space or make it writable, or choose another BENCH_HOME; then submit again.',
        cause,
      },
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Replaces a damaged folder. */
export function putInPlace(layout: HomeLayout, staging: string, hash: string): string {
  const target = layout.frozenTask(hash);
  if (existsSync(target) && !intact(target, hash)) {
    renameSync(target, `${staging}.damaged`);
    rmSync(`${staging}.damaged`, { recursive: true, force: true });
  }
  try {
    renameSync(staging, target);
  } catch (error) {
    // Another process was faster.
    if (!intact(target, hash)) throw error;
  }
  return target;
}

/** Hard links save space: prepared data never change, and runs only copy them. */
export function linkData(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(from, to);
  }
}

function addData(staging: string, { dir, files }: NonNullable<TaskFolder['data']>): void {
  for (const file of files) linkData(join(dir, file.path), join(staging, placeInTask(file)));
  writeFileSync(join(staging, DATA_FILES), JSON.stringify(files));
}
