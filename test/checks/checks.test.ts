import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

/**
 * The checks of `npm run check`, parallel to the tests, which saves a minute. The build comes
 * first. One after another: the other cores have other tests.
 */
it.each(['lint', 'lint:imports', 'check:python', 'check:words', 'check:unused', 'lint:format'])(
  'npm run %s finds nothing',
  async (script) => {
    const { exitCode, all } = await execa('npm', ['run', '--silent', script], {
      cwd: resolve(import.meta.dirname, '../..'),
      reject: false,
      all: true,
      stdin: 'ignore',
      // The linter spends a third of its time on collecting garbage otherwise.
      env: { GOGC: 'off', GOMEMLIMIT: '6GiB' },
    });
    expect(exitCode, `npm run ${script}:\n${all}`).toBe(0);
  },
);
