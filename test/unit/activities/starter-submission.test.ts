import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isStarter } from '../../../activities/starter-submission.js';
import { taskSchema } from '../../../domain/task/task.js';

let taskDir: string;
beforeAll(() => {
  taskDir = mkdtempSync(join(tmpdir(), 'bench-starter-'));
  mkdirSync(join(taskDir, 'starter/lib/deep'), { recursive: true });
  for (const path of ['main.py', 'helper.py', 'notes.md', 'lib/a.py', 'lib/deep/b.py'])
    writeFileSync(join(taskDir, 'starter', path), path);
});
afterAll(() => rmSync(taskDir, { recursive: true, force: true }));

const contract = taskSchema.shape.submission.parse({ files: ['main.py'], optional: ['h*r.py'], folders: ['lib'] });
const STARTER: Record<string, string> = Object.fromEntries(
  ['main.py', 'helper.py', 'lib/a.py', 'lib/deep/b.py'].map((path) => [path, path]),
);
const judged = (files: Record<string, string>, of = contract) =>
  isStarter(
    taskDir,
    of,
    Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) })),
  );
const without = (path: string) => Object.fromEntries(Object.entries(STARTER).filter(([name]) => name !== path));

test('is the starter: every file as it was, in any order, whatever else the workspace has', async () => {
  expect(await judged(STARTER)).toBe(true);
  expect(await judged(Object.fromEntries(Object.entries(STARTER).reverse()))).toBe(true);
  expect(await judged({ 'main.py': 'main.py' }, taskSchema.shape.submission.parse({ files: ['main.py'] }))).toBe(true);
});

test.each([
  ['a file that changed', { ...STARTER, 'main.py': 'main.py\n' }],
  ['a file that was added', { ...STARTER, 'lib/c.py': '' }],
  ['an optional file that is gone', without('helper.py')],
  ['a file of a folder that is gone', without('lib/deep/b.py')],
  ['nothing', {}],
])('is not the starter with %s', async (_, files) => {
  expect(await judged(files)).toBe(false);
});
