import { expect, it } from 'vitest';
import { findAssetsRoot } from '../../../../operations/settings.js';
import { validateConfig } from '../../../../operations/catalog/validate-config.js';
import { newTask } from '../../../../operations/tasks/new.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../../catalog/fixtures.js';

const assetsRoot = findAssetsRoot();

async function problemsWith(referee: string | null): Promise<(string | number | null)[][]> {
  const configs = folder({});
  const { dir } = newTask({ assetsRoot, configsDir: configs, id: 'points', kind: 'data' });
  if (referee !== null) writeFileSync(join(dir, 'evaluator', 'referee.py'), referee);
  const ports = { settings: { configFolders: [configs], assetsRoot }, notify: () => undefined };
  const files = await validateConfig(ports, []);
  return files.flatMap(({ problems }) => problems.map(({ line, message }) => [line, message]));
}

it('a referee that names what bench_tasks lacks, or nothing defines, is a broken configuration', async () => {
  expect(await problemsWith(null)).toEqual([]);
  const found = await problemsWith(
    'from bench_tasks.files import Files, Float\nfrom bench_tasks.fils import Text\n\n\ndef evaluate(files: Files):\n    return {"accuracy": Number()}\n',
  );
  expect(found).toEqual([
    [1, 'bench_tasks.files has no Float; it has Column, Integer, Number, Text, Files'],
    [2, expect.stringContaining('there is no module bench_tasks.fils; there are arrays, ')],
    [6, 'Number is neither defined nor imported'],
  ]);
  expect(await problemsWith('def score(files):\n    return {}\n')).toEqual([
    [1, 'defines no evaluate(), which the evaluator calls'],
  ]);
});
