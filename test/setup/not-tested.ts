import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const VARIABLE = 'BENCH_TEST_NOT_TESTED';

/** Names what this machine keeps from being tested, and why, with the way to get it: at once, and in the run's last lines. */
export function notTested(what: string, why: string): void {
  const line = `${what}: ${why}`;
  process.stderr.write(`NOT TESTED: ${line}\n`);
  const file = process.env[VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** For the process that starts those of the tests. Returns the reading of what they name, once. */
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
