import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { jobFiles } from '../../../backends/evaluator/job-files.js';
import { loadTask } from '../../../catalog/index.js';

const INIT = resolve(import.meta.dirname, '../../../images/evaluator/init.py');

export interface Outcome {
  outcome: 'ok' | 'rejected' | 'evaluator_error';
  metrics?: Record<string, number>;
  message?: string;
}

/** An evaluation by the evaluator's programs, as one user. `place`: a prepared task's folder. */
export async function evaluateTask(
  configs: string,
  id: string,
  submission: Readonly<Record<string, string | Buffer>>,
  { seed = '0a', python = 'python3', place }: { seed?: string; python?: string; place?: string } = {},
): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-test-eval-'));
  try {
    const { spec, dir: taskDir } = loadTask([configs], id);
    const files = await jobFiles(
      {
        id: 'e',
        task: spec,
        taskDir: place ?? taskDir,
        submission: Object.entries(submission).map(([path, text]) => ({ path, bytes: Buffer.from(text) })),
        split: 'test',
        seed,
      },
      { users: null, lifeline: false, ownContainer: false, outputFolder: join(dir, 'output') },
    );
    mkdirSync(join(dir, 'output'));
    for (const { path, bytes } of files)
      if (bytes === null) mkdirSync(join(dir, path), { recursive: true });
      else writeFileSync(join(dir, path), bytes);
    const { stdout } = await execa(python, ['-I', INIT, dir], { stdin: 'ignore' });
    return JSON.parse(stdout) as Outcome;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
