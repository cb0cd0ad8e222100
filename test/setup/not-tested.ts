import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const VARIABLE = 'BENCH_TEST_NOT_TESTED';

/** Reports, now and in the last lines, what this machine cannot test, why, and how to fix it. */
export function notTested(what: string, why: string): void {
  const line = `${what}: ${why}`;
  process.stderr.write(`NOT TESTED: ${line}\n`);
  const file = process.env[VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** For the process that starts the tests'. Returns a function that reads their reports, once. */
export function collectNotTested(): () => string[] {
  const file = join(mkdtempSync(join(tmpdir(), 'bench-test-not-tested-')), 'lines');
  appendFileSync(file, '');
  process.env[VARIABLE] = file;
  return () => {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean);
    rmSync(dirname(file), { recursive: true, force: true });
    return [...new Set(lines.map((line) => JSON.parse(line) as string))].toSorted();
  };
}
