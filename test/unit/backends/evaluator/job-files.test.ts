import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobFiles, modeOf } from '../../../../backends/evaluator/job-files.js';
import type { EvaluationJob } from '../../../../domain/ports/evaluator-port.js';

let taskDir: string;
beforeEach(async () => {
  taskDir = await mkdtemp(join(tmpdir(), 'bench-test-task-'));
  await mkdir(join(taskDir, 'evaluator', 'data'), { recursive: true });
  await writeFile(join(taskDir, 'evaluator', 'referee.py'), 'secret');
  await writeFile(join(taskDir, 'evaluator', 'data', 'answers'), 'secret');
});
afterEach(() => rm(taskDir, { recursive: true, force: true }));

const game = { kind: 'game', module: 'strategy', function: 'f', timeoutSeconds: 1, memoryMb: 1 };
const jobOf = (evaluator: object, paths: string[], split: 'validation' | 'test' = 'test'): EvaluationJob => ({
  id: 'j',
  task: {
    metrics: { Score: {} },
    evaluator,
  } as unknown as EvaluationJob['task'],
  taskDir,
  submission: paths.map((path) => ({ path, bytes: Buffer.from('code') })),
  split,
  seed: 'ab',
});
const job = (...paths: string[]): EvaluationJob => jobOf(game, paths);
const options = { users: null, lifeline: false, ownContainer: true, outputFolder: '/output' };

describe('what an evaluation gets to see', () => {
  it('is the order for init, the secrets for the referee, the submission for the player', async () => {
    const files = await jobFiles(job('strategy.py', 'lib/deep/x.py'), options);
    expect(files.map(({ path, reader, bytes }) => `${reader} ${path}${bytes === null ? '/' : ''}`)).toEqual([
      'init job.json',
      'referee evaluator/',
      'referee evaluator/data/',
      'referee evaluator/data/answers',
      'referee evaluator/referee.py',
      'player submission/',
      'player submission/lib/',
      'player submission/lib/deep/',
      'player submission/strategy.py',
      'player submission/lib/deep/x.py',
    ]);
  });

  it('is the submission for the referee where it is data', async () => {
    const files = await jobFiles(jobOf({ kind: 'data' }, ['a.csv']), options);
    expect(files.filter(({ path }) => path.startsWith('submission')).map(({ reader }) => reader)).toEqual([
      'referee',
      'referee',
    ]);
  });

  it('is for a program the inputs of its split only, and the files that the task gives it', async () => {
    for (const file of ['inputs/test/x.csv', 'inputs/validation/x.csv', 'player/run.py']) {
      await mkdir(dirname(join(taskDir, 'evaluator', file)), { recursive: true });
      await writeFile(join(taskDir, 'evaluator', file), 'public');
    }
    const files = await jobFiles(jobOf({ kind: 'program' }, ['a.py'], 'validation'), options);
    const shown = files.filter(({ reader }) => reader !== 'referee' && reader !== 'init');
    expect(shown.map((file) => `${file.reader} ${modeOf(file).toString(8)} ${file.path}`)).toEqual([
      'player 750 submission',
      'player 440 submission/a.py',
      'both 755 inputs',
      'both 755 inputs/validation',
      'both 444 inputs/validation/x.csv',
      'player 750 player',
      'player 440 player/run.py',
    ]);
    expect(files.map(({ path }) => path).filter((path) => path.startsWith('evaluator'))).toEqual([
      'evaluator',
      'evaluator/data',
      'evaluator/data/answers',
      'evaluator/referee.py',
    ]);
  });

  it('is for questions the files that the task gives the player, not the referee', async () => {
    await mkdir(join(taskDir, 'evaluator', 'player'));
    await writeFile(join(taskDir, 'evaluator', 'player', 'adapter.py'), 'public');
    const files = await jobFiles(jobOf({ kind: 'questions' }, ['a.py']), options);
    expect(files.filter(({ path }) => path.includes('player')).map(({ reader, path }) => `${reader} ${path}`)).toEqual([
      'player player',
      'player player/adapter.py',
    ]);
  });

  it.each(['../evaluator/referee.py', '/etc/passwd', 'a/../../b', 'a//b', './a', '', 'a\0b'])(
    'never comes from a path like %j',
    async (path) => {
      await expect(jobFiles(job(path), options)).rejects.toThrow('not a path of a submission');
    },
  );

  it('holds no links of the task', async () => {
    await symlink('/etc/passwd', join(taskDir, 'evaluator', 'link'));
    await expect(jobFiles(job('strategy.py'), options)).rejects.toThrow('neither a file nor a folder');
  });
});
