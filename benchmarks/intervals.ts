// Coverage of the leaderboard's intervals: npm run benchmark:intervals [-- leaderboards per row]
import { headlineCoverage } from './interval-coverage.js';

const EXPERIMENTS = Number(process.argv[2] ?? 200);
const SIZES = [
  { taskCount: 5, attemptCount: 4 },
  { taskCount: 13, attemptCount: 2 },
  { taskCount: 13, attemptCount: 4 },
  { taskCount: 13, attemptCount: 8 },
  { taskCount: 40, attemptCount: 4 },
];
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

process.stderr.write(
  `95 % intervals that hold the true value, ${EXPERIMENTS} simulated leaderboards of 6 models each:\n`,
);
const rows = SIZES.map(({ taskCount, attemptCount }) => {
  const sizes = { tasks: taskCount, attempts: attemptCount };
  const measured = headlineCoverage({ ...sizes, experiments: EXPERIMENTS, population: 8000 });
  process.stderr.write(
    `  ${taskCount} tasks, ${attemptCount} attempts: win rate ${percent(measured.winRate.share)}, gain ${percent(measured.gain.share)}\n`,
  );
  return { taskCount, attemptCount, ...measured };
});
process.stdout.write(`${JSON.stringify({ experiments: EXPERIMENTS, rows }, null, 2)}\n`);
