import type { Reporter, TestModule } from 'vitest/node';
import { LONG, LONG_FILES } from './long.js';

/**
 * The last line of a run, for programs that read it: `N passed, N failed`, and `, N skipped` if any. A file that could not
 * be run and an error outside of tests count as failed.
 */
export default class SummaryReporter implements Reporter {
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
    // After the other reporters' own endings.
    process.once('beforeExit', () => print(counts));
    process.once('exit', () => print(counts));
  }
}

let printed = false;

function print({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): void {
  if (printed) return;
  printed = true;
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
}
