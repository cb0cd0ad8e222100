import type { Reporter, TestModule } from 'vitest/node';
import { LONG, LONG_FILES } from './long.js';
import { collectNotTested } from './not-tested.js';

/**
 * What this machine cannot test, then, for programs, `N passed, N failed` and `, N skipped` if any.
 * Broken files and errors outside of tests count as failed.
 */
export default class SummaryReporter implements Reporter {
  readonly #notTested = collectNotTested();

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      const before = counts.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'failed' : state] += 1;
      }
      if (module.state() === 'failed' && counts.failed === before) counts.failed += 1;
    }
    if (!LONG && modules.length > Object.keys(LONG_FILES).length) {
      const files = Object.entries(LONG_FILES).map(([file, instead]) => `  ${file}: here ${instead}\n`);
      process.stdout.write(`\nLeft to npm run test:long:\n${files.join('')}`);
    }
    // After the other reporters' own endings, and the set-ups'.
    process.once('beforeExit', () => print(counts, this.#notTested));
    process.once('exit', () => print(counts, this.#notTested));
  }
}

let printed = false;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

function print(counts: Counts, notTested: () => string[]): void {
  if (printed) return;
  printed = true;
  process.stdout.write(lastLines(counts, notTested()));
}

export function lastLines({ passed, failed, skipped }: Counts, notTested: readonly string[]): string {
  const missing = notTested.length > 0 ? ['', 'Not tested here:', ...notTested.map((line) => `  ${line}`)] : [];
  const long = skipped > 0 && !LONG ? ['Other skipped tests are long forms: npm run test:long'] : [];
  const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return [...missing, ...long, counts, ''].join('\n');
}
