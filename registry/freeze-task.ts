import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BenchError } from '../domain/errors.js';
import type { HomeLayout } from '../domain/home-layout.js';
import type { TaskFolder } from '../domain/task.js';
import { folderFiles, hashFolder } from './folder-hash.js';

const intact = (dir: string, hash: string): boolean => existsSync(dir) && hashFolder(dir) === hash;

/**
 * Copy a task's folder to its frozen place, whole or not at all; what a run was submitted with is what it plays, whatever happens
 * to the original. Safe when several submissions freeze the same task at once. Returns the frozen folder.
 */
export function freezeTask(layout: HomeLayout, task: TaskFolder): string {
  const target = layout.frozenTask(task.contentHash);
  if (intact(target, task.contentHash)) return target;
  const staging = join(layout.tasks, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    // The folder holds evaluator files: only the owner may look into it.
    mkdirSync(staging, { recursive: true, mode: 0o700 });
    for (const file of folderFiles(task.dir)) {
      const copy = join(staging, file.path);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(task.dir, file.path), copy);
      chmodSync(copy, file.executable ? 0o755 : 0o644);
    }
    if (hashFolder(staging) !== task.contentHash) {
      throw new BenchError('failed', `task ${task.spec.id} changed while it was being copied`, {
        remedy: 'Submit again once its files are at rest.',
      });
    }
    if (existsSync(target) && !intact(target, task.contentHash)) {
      renameSync(target, `${staging}.damaged`);
      rmSync(`${staging}.damaged`, { recursive: true, force: true });
    }
    try {
      renameSync(staging, target);
    } catch (error) {
      // Another submission was faster.
      if (!intact(target, task.contentHash)) throw error;
    }
    return target;
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError(
      'failed',
      `cannot store task ${task.spec.id} under ${layout.tasks}: ${(cause as Error).message}`,
      {
        remedy: 'Make room there, or make it writable, or choose another BENCH_HOME; then submit again.',
        cause,
      },
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
