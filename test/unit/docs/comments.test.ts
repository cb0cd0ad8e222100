import { expect, it } from 'vitest';
import { checkoutFiles, read } from './checkout.js';

const MOST_COLUMNS = 100;

/** Files whose comments are still to be shortened. */
const LATER = new Set([
  'cli/render/leaderboard.ts',
  'db/queries/comparisons.ts',
  'db/queries/leaderboard-cells.ts',
  'db/queries/leaderboard-extras.ts',
  'db/queries/leaderboard-figures.ts',
  'db/queries/leaderboard-intervals.ts',
  'db/queries/leaderboard-rows.ts',
  'db/queries/leaderboard-runs.ts',
  'db/queries/leaderboard-statements.ts',
  'db/schema/leaderboard-figures.ts',
  'db/schema/saved-comparisons.ts',
  'domain/requests/comparison.ts',
  'domain/statistics/bootstrap.ts',
  'domain/statistics/expected-best.ts',
  'domain/statistics/headlines.ts',
  'domain/statistics/intervals.ts',
  'domain/statistics/log-ratios.ts',
  'domain/statistics/profile-steps.ts',
  'domain/statistics/separation.ts',
  'domain/statistics/task-areas.ts',
  'domain/statistics/task-positions.ts',
  'domain/views/leaderboard.ts',
  'operations/pages/leaderboard-cell.ts',
  'operations/results/resolve-comparison.ts',
  'web/client/leaderboard/profiles-chart.ts',
]);

const isComment = (line: string): boolean => /^\s*(?:\/\*\*|\*|\/\/)/.test(line);
const isDirective = (line: string): boolean => /\/\/ oxlint-/.test(line);
const columns = (line: string): number => line.replace(/https?:\/\/\S+/g, '').length;

it('no comment line of TypeScript is above 100 columns', () => {
  const long = checkoutFiles()
    .filter((path) => /\.tsx?$/.test(path) && !LATER.has(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) =>
          isComment(line) && !isDirective(line) && columns(line) > MOST_COLUMNS ? [`${path}:${at + 1}`] : [],
        ),
    );
  expect(long).toEqual([]);
});
