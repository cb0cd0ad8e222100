import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobFiles } from '../../../activities/evaluator/job-files.js';
import type { EvaluationJob } from '../../../domain/ports/evaluator-port.js';

let taskDir: string;
beforeEach(async () => {
  taskDir = await mkdtemp(join(tmpdir(), 'bench-test-task-'));
  await mkdir(join(taskDir, 'evaluator', 'data'), { recursive: true });
  await writeFile(join(taskDir, 'evaluator', 'referee.py'), 'secret');
  await writeFile(join(taskDir, 'evaluator', 'data', 'answers'), 'secret');
});
afterEach(() => rm(taskDir, { recursive: true, force: true }));

const job = (...paths: string[]): EvaluationJob => ({
  id: 'j',
  task: {
    metrics: { Score: {} },
    evaluator: { module: 'strategy', function: 'f', timeoutSeconds: 1, memoryMb: 1 },
  } as unknown as EvaluationJob['task'],
  taskDir,
  submission: paths.map((path) => ({ path, bytes: Buffer.from('code') })),
  seed: 'ab',
});
const options = { users: null, lifeline: false };

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

  it.each(['../evaluator/referee.py', '/etc/passwd', 'a/../../b', 'a//b', './a', '', 'a\0b'])(
    'never comes from a path like %j',
    async (path) => {
      await expect(jobFiles(job(path), options)).rejects.toThrow('no path of a submission');
    },
  );

  it('holds no links of the task', async () => {
    await symlink('/etc/passwd', join(taskDir, 'evaluator', 'link'));
    await expect(jobFiles(job('strategy.py'), options)).rejects.toThrow('neither a file nor a folder');
  });
});
