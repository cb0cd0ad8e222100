import { resolve } from 'node:path';
import { execa } from 'execa';
import { whenPrepared } from './beside-the-tests.js';
import { notTested } from './not-tested.js';

const ROOT = resolve(import.meta.dirname, '../..');
const OWN = resolve(ROOT, '.bench/python-tools/bin/python');

/** The environment of requirements-dev.txt; pip fills it once. */
export const ensurePythonTools = (): Promise<unknown> =>
  execa('node', ['scripts/check-python.mjs', 'python', '-c', ''], { cwd: ROOT });

/** BENCH_TEST_PYTHON, `python3`, or that of the tools. Null: `tests` are reported as skipped. */
export async function pythonWith(module: string, tests: string): Promise<string | null> {
  const failure = await whenPrepared('python-tools').then(() => '', String);
  for (const python of [process.env['BENCH_TEST_PYTHON'], 'python3', OWN])
    if (python !== undefined && !(await execa(python, ['-c', `import ${module}`], { reject: false })).failed)
      return python;
  notTested(tests, `no Python with ${module}. \`npm run check:python\` makes one. ${failure}`.trimEnd());
  return null;
}
