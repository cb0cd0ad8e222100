import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

/**
 * The checks of `npm run check`, beside the tests: they would hold them up for a minute. The build is made before the tests.
 * One after another, cheapest first: there are other tests for the other cores.
 */
it.each(['lint', 'lint:imports', 'check:python', 'lint:format'])('npm run %s finds nothing', async (script) => {
  const { exitCode, all } = await execa('npm', ['run', '--silent', script], {
    cwd: resolve(import.meta.dirname, '../..'),
    reject: false,
    all: true,
    stdin: 'ignore',
  });
  expect(exitCode, `npm run ${script}:\n${all}`).toBe(0);
});
