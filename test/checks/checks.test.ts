import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

/**
 * The checks of `npm run check`, beside the tests, which would otherwise wait for them a minute. The build is
 * made before the tests. One after another: the other cores have other tests.
 */
it.each(['lint', 'lint:imports', 'check:python', 'check:words', 'check:unused', 'lint:format'])(
  'npm run %s finds nothing',
  async (script) => {
    const { exitCode, all } = await execa('npm', ['run', '--silent', script], {
      cwd: resolve(import.meta.dirname, '../..'),
      reject: false,
      all: true,
      stdin: 'ignore',
    });
    expect(exitCode, `npm run ${script}:\n${all}`).toBe(0);
  },
);
