import { existsSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluatorSpec } from '../../domain/task/evaluator-spec.js';
import type { EvaluationJob } from '../../domain/ports/evaluator-port.js';

/** Which processes may read a folder's content; none may write. `both`: referee and player. */
type Reader = 'init' | 'referee' | 'player' | 'both';

export interface JobFile {
  /** Relative to the job's folder; folders come before their content. */
  path: string;
  reader: Reader;
  /** Null: a folder. */
  bytes: Buffer | null;
}

export interface EvaluationUsers {
  referee: { uid: number; gid: number };
  player: { uid: number; gid: number };
}

/** Folders of a task's `evaluator/` that others than the referee read. */
const INPUTS = 'inputs';
const PLAYER = 'player';
const PLAYERS_FOLDERS: Record<EvaluatorSpec['kind'], string[]> = {
  game: [],
  questions: [PLAYER],
  data: [],
  program: [INPUTS, PLAYER],
  harbor: [],
};

/** Order, secrets, submission, player files and inputs of this split, as init.py expects them. */
export async function jobFiles(
  job: EvaluationJob,
  options: {
    /** Null: all processes run as the user who starts them. */
    users: EvaluationUsers | null;
    /** True: init's stdin closes when the worker dies, and init then ends everything. */
    lifeline: boolean;
    /** The evaluation is alone in its container, so the cgroup measures its CPU time. */
    ownContainer: boolean;
    outputFolder: string;
  },
): Promise<JobFile[]> {
  const { evaluator, metrics } = job.task;
  const order = { seed: job.seed, split: job.split, metrics: Object.keys(metrics), evaluator, ...options };
  const secrets = join(job.taskDir, 'evaluator');
  const forPlayer = PLAYERS_FOLDERS[evaluator.kind];
  const files: JobFile[] = [
    { path: 'job.json', reader: 'init', bytes: Buffer.from(JSON.stringify(order)) },
    { path: 'evaluator', reader: 'referee', bytes: null },
    ...(await folderFiles(secrets, 'evaluator', 'referee', forPlayer)),
    { path: 'submission', reader: evaluator.kind === 'data' ? 'referee' : 'player', bytes: null },
    ...submissionFiles(job),
  ];
  if (forPlayer.includes(INPUTS)) {
    // Omit the other split's inputs: a program must not see the test during validation.
    const [inputs, split] = [join(secrets, INPUTS), `${INPUTS}/${job.split}`];
    files.push({ path: INPUTS, reader: 'both', bytes: null }, { path: split, reader: 'both', bytes: null });
    if (existsSync(inputs)) files.push(...(await folderFiles(join(inputs, job.split), split, 'both')));
  }
  if (forPlayer.includes(PLAYER)) {
    files.push({ path: PLAYER, reader: 'player', bytes: null });
    if (existsSync(join(secrets, PLAYER))) files.push(...(await folderFiles(join(secrets, PLAYER), PLAYER, 'player')));
  }
  return files;
}

async function folderFiles(dir: string, target: string, reader: Reader, without: string[] = []): Promise<JobFile[]> {
  const files: JobFile[] = [];
  for (const name of (await readdir(dir, { recursive: true })).sort()) {
    if (name.includes('__pycache__') || without.includes(name.split('/')[0] ?? '')) continue;
    const stat = await lstat(join(dir, name));
    if (!stat.isDirectory() && !stat.isFile()) throw new Error(`${join(dir, name)} is neither a file nor a folder`);
    files.push({ path: `${target}/${name}`, reader, bytes: stat.isFile() ? await readFile(join(dir, name)) : null });
  }
  return files;
}

/** Only its readers enter a folder or read a file. */
export const modeOf = ({ reader, bytes }: JobFile): number =>
  (bytes === null ? 0o750 : 0o440) | (reader === 'both' ? (bytes === null ? 0o005 : 0o004) : 0);

/** The group that may read it; root's for init's files, or all. */
export const groupOf = ({ reader }: JobFile, users: EvaluationUsers): number =>
  reader === 'referee' || reader === 'player' ? users[reader].gid : 0;

function submissionFiles(job: EvaluationJob): JobFile[] {
  const folders = new Set<string>();
  for (const { path } of job.submission) {
    const parts = path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
      throw new Error(`${JSON.stringify(path)} is not a path of a submission`);
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  const reader = job.task.evaluator.kind === 'data' ? 'referee' : 'player';
  return [
    ...[...folders].sort().map((path): JobFile => ({ path: `submission/${path}`, reader, bytes: null })),
    ...job.submission.map(({ path, bytes }): JobFile => ({ path: `submission/${path}`, reader, bytes })),
  ];
}
