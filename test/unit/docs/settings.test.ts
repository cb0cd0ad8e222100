import { describe, expect, it } from 'vitest';
import { checkoutFiles, read } from './checkout.js';

/** Between processes of ours, and of tests. */
const INTERNAL = /^BENCH_(READY_FILE|TEST_\w+|CHAOS_\w+|SEMAPHORE_\w+|RESULTS_SEED)$/;

describe('docs/reference/settings.md', () => {
  it('names each variable that the program reads', () => {
    const page = read('docs/reference/settings.md');
    const named = new Set(
      checkoutFiles()
        .filter((path) => path.endsWith('.ts') && !/^(test|benchmarks|docs)\//.test(path))
        .flatMap(
          (path) => read(path).match(/\b(BENCH_[A-Z_]*[A-Z]|DATABASE_URL|TEMPORAL_(ADDRESS|NAMESPACE|TLS))\b/g) ?? [],
        )
        .filter((name) => !INTERNAL.test(name)),
    );
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
