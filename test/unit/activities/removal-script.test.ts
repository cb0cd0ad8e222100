import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removalScript } from '../../../activities/removal-script.js';
import { taskSchema } from '../../../domain/task/task.js';
import { task } from '../../fixtures/rows.js';

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'bench-removal-'));
  mkdirSync(join(scratch, 'task/starter'), { recursive: true });
  writeFileSync(join(scratch, 'task/starter/policy.py'), '');
  mkdirSync(join(scratch, 'work/out'), { recursive: true });
  for (const file of ['policy.py', "it's.csv", 'notes.md', 'out/a']) writeFileSync(join(scratch, 'work', file), '');
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('removes what was made, and leaves what the starter gave to continue from', () => {
  const submission = taskSchema.shape.submission.parse({ files: ['policy.py', "it's.csv"], folders: ['out'] });
  const script = removalScript(
    { task: task('t', 'maximize', { submission }) },
    join(scratch, 'task'),
    join(scratch, 'work'),
  );
  const { stdout } = execaSync('bash', ['-c', `rm() { echo mine; }\n${script}pwd`], { cwd: scratch });
  expect(stdout).toBe(scratch);
  expect(readdirSync(join(scratch, 'work')).toSorted()).toEqual(['notes.md', 'policy.py']);
});

it('is nothing where all of it came with the starter', () => {
  const submission = taskSchema.shape.submission.parse({ files: ['policy.py'] });
  expect(removalScript({ task: task('t', 'maximize', { submission }) }, join(scratch, 'task'), '/work')).toBe('');
});
