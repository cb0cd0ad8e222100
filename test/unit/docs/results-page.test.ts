import { describe, expect, it } from 'vitest';
import { type BenchmarkResult, resultsPage } from '../../../benchmarks/results-page.js';
import { checkoutFiles, read } from './checkout.js';

const machine = { options: ['--runs', '5'], date: '2026-01-02', cores: 2, node: '20.0.0', load: 0.25 };

describe('benchmarks/RESULTS.md', () => {
  it('shows what is stored in benchmarks/results (else: npm run build && npm run benchmark:record)', () => {
    const stored = checkoutFiles('benchmarks/results').map((file) => JSON.parse(read(file)) as BenchmarkResult);
    expect(stored.length).toBeGreaterThan(0);
    expect(read('benchmarks/RESULTS.md')).toBe(resultsPage(stored));
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(stored.filter(({ benchmark }) => scripts[`benchmark:${benchmark}`] === undefined)).toEqual([]);
  });

  it('has single figures in a line, objects and lists of them in tables, with three digits', () => {
    const page = resultsPage([
      {
        ...{ benchmark: 'import', ...machine },
        result: {
          benchmark: 'import',
          peakMb: 138,
          first: { stepsPerSecond: 382.119 },
          again: { stepsPerSecond: 0 },
          rows: [
            { mode: 'strict', tasks: { share: 0.86912 } },
            { mode: 'compat', missing: null },
          ],
        },
      },
    ]);
    expect(page).toContain(
      '`npm run benchmark:import -- --runs 5`, 2026-01-02, 2 cores, load 0.3 before, Node.js 20.0.0',
    );
    expect(page).toContain(
      '\npeak mb: 138\n\n| part | steps per second |\n| --- | --- |\n| first | 382 |\n| again | 0 |\n',
    );
    expect(page).toContain(
      '| mode | tasks.share | missing |\n| --- | --- | --- |\n| strict | 0.869 | – |\n| compat | – | – |\n',
    );
  });
});
