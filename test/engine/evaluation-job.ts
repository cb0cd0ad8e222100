import { mkdtemp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { EvaluationJob } from '../../domain/ports/evaluator-port.js';
import { type Split, taskSchema, type TaskSpecInput } from '../../domain/task/task.js';
import { loadTaskFolder } from '../../catalog/tasks.js';

export const REPOSITORY = join(import.meta.dirname, '..', '..');

let counter = 0;
const newId = (): string => `job-${process.pid}-${++counter}`;

/** A job of a bundled game: its starter, its oracle, or a strategy given as code. */
export async function gameJob(
  game: string,
  strategy: 'starter' | 'oracle' | { code: string },
  seed = 'ab12',
): Promise<EvaluationJob> {
  const taskDir = join(REPOSITORY, 'configs', 'tasks', game);
  const bytes =
    typeof strategy === 'string' ? await readFile(join(taskDir, strategy, 'strategy.py')) : Buffer.from(strategy.code);
  return {
    id: newId(),
    task: taskSchema.parse(parse(await readFile(join(taskDir, 'task.yaml'), 'utf8'))),
    taskDir,
    submission: [{ path: 'strategy.py', bytes }],
    split: 'test',
    seed,
  };
}

/** A referee of 20 games of 10 rounds. */
export const COIN_REFEREE = `
from bench_tasks.games import Choices

def evaluate(table):
    opponent = lambda history, rng: int(rng.random() < 0.75)
    score = table.play_games(moves=Choices(2), rounds=10, games=20, opponent=opponent, payoff=lambda own, other: int(own == other))
    return {"Score": score}
`;

/** A small game by the given code: 20 x 10 guesses of a coin that falls on 1 in 3 of 4 throws. */
export async function smallJob(
  code: string,
  options: {
    evaluator?: { kind?: 'game' | 'questions'; timeoutSeconds?: number; memoryMb?: number };
    referee?: string;
    /** Further files of evaluator/. */
    files?: Record<string, string>;
    seed?: string;
  } = {},
): Promise<EvaluationJob> {
  const taskDir = await mkdtemp(join(tmpdir(), 'bench-test-task-'));
  await mkdir(join(taskDir, 'evaluator'));
  await writeFile(join(taskDir, 'evaluator', 'referee.py'), options.referee ?? COIN_REFEREE);
  for (const [path, content] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(taskDir, 'evaluator', path)), { recursive: true });
    await writeFile(join(taskDir, 'evaluator', path), content);
  }
  const task = taskSchema.parse({
    schema: 1,
    id: 'smallGame',
    name: 'Small game',
    contract: 1,
    domain: 'test',
    description: 'Guess.',
    metrics: { Score: { direction: 'maximize', description: 'share of right guesses' } },
    primary: 'Score',
    submission: { files: ['strategy.py'] },
    evaluator: {
      kind: 'game',
      module: 'strategy',
      function: 'row_strategy',
      timeoutSeconds: 60,
      memoryMb: 128,
      ...options.evaluator,
    },
  } satisfies TaskSpecInput);
  const submission = [{ path: 'strategy.py', bytes: Buffer.from(code) }];
  return { id: newId(), task, taskDir, submission, split: 'test', seed: options.seed ?? 'ab12' };
}

/** A job of a fixture task: its starter or oracle with files changed, added, or (null) removed. */
export async function fixtureJob(
  task: string,
  from: 'starter' | 'oracle',
  split: Split = 'test',
  changed: Record<string, string | Buffer | null> = {},
  evaluator: { timeoutSeconds?: number; memoryMb?: number; outputMb?: number } = {},
): Promise<EvaluationJob> {
  const taskDir = join(REPOSITORY, 'test', 'fixtures', 'tasks', task);
  const { spec } = loadTaskFolder(taskDir);
  const files = new Map<string, Buffer>();
  for (const path of await readdir(join(taskDir, from), { recursive: true })) {
    const wanted = [...spec.submission.files, ...spec.submission.optional].includes(path);
    if (wanted || spec.submission.folders.some((folder) => path.startsWith(`${folder}/`)))
      files.set(path, await readFile(join(taskDir, from, path)));
  }
  for (const [path, content] of Object.entries(changed))
    if (content === null) files.delete(path);
    else files.set(path, Buffer.from(content));
  return {
    id: newId(),
    task: { ...spec, evaluator: { ...spec.evaluator, ...evaluator } },
    taskDir,
    submission: [...files].map(([path, bytes]) => ({ path, bytes })),
    split,
    seed: 'ab12',
  };
}

/** Command lines of this machine's living processes that hold the text. */
export async function processesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(text)) found.push(command.replaceAll('\0', ' '));
  }
  return found;
}
