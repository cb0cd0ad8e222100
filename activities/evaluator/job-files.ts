import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluationJob } from '../../domain/ports/evaluator-port.js';

/** Whom a folder's content is for; nobody else may read it, and nobody may write it. */
export type Reader = 'init' | 'referee' | 'player';

export interface JobFile {
  /** Relative to the job's folder; folders come before what they hold. */
  path: string;
  reader: Reader;
  /** Null: a folder. */
  bytes: Buffer | null;
}

export interface EvaluationUsers {
  referee: { uid: number; gid: number };
  player: { uid: number; gid: number };
}

/** What images/evaluator/init.py finds in its folder: the order for itself, the task's secrets, the submission. */
export async function jobFiles(
  job: EvaluationJob,
  options: {
    /** Null: all processes run as the user who starts them. */
    users: EvaluationUsers | null;
    /** True: init's stdin closes when the worker dies, and init then ends everything. */
    lifeline: boolean;
  },
): Promise<JobFile[]> {
  const order = {
    seed: job.seed,
    module: job.task.evaluator.module,
    function: job.task.evaluator.function,
    metrics: Object.keys(job.task.metrics),
    timeoutSeconds: job.task.evaluator.timeoutSeconds,
    memoryMb: job.task.evaluator.memoryMb,
    users: options.users,
    lifeline: options.lifeline,
  };
  return [
    { path: 'job.json', reader: 'init', bytes: Buffer.from(JSON.stringify(order)) },
    { path: 'evaluator', reader: 'referee', bytes: null },
    ...(await secretFiles(join(job.taskDir, 'evaluator'))),
    { path: 'submission', reader: 'player', bytes: null },
    ...submissionFiles(job),
  ];
}

async function secretFiles(dir: string): Promise<JobFile[]> {
  const files: JobFile[] = [];
  for (const name of (await readdir(dir, { recursive: true })).sort()) {
    if (name.includes('__pycache__')) continue;
    const stat = await lstat(join(dir, name));
    if (!stat.isDirectory() && !stat.isFile()) throw new Error(`${join(dir, name)} is neither a file nor a folder`);
    const bytes = stat.isFile() ? await readFile(join(dir, name)) : null;
    files.push({ path: `evaluator/${name}`, reader: 'referee', bytes });
  }
  return files;
}

function submissionFiles(job: EvaluationJob): JobFile[] {
  const folders = new Set<string>();
  for (const { path } of job.submission) {
    const parts = path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
      throw new Error(`${JSON.stringify(path)} is no path of a submission`);
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  return [
    ...[...folders].sort().map((path): JobFile => ({ path: `submission/${path}`, reader: 'player', bytes: null })),
    ...job.submission.map(({ path, bytes }): JobFile => ({ path: `submission/${path}`, reader: 'player', bytes })),
  ];
}
