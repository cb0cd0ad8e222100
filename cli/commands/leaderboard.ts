import type { Command } from 'commander';
import { Option } from 'commander';
import { leaderboard } from '../../operations/results/leaderboard.js';
import { addComparisonOptions, comparisonRequest, FIXED_BY_COMPARISON } from '../comparison-options.js';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { leaderboardCsv } from '../render/leaderboard-csv.js';
import { renderLeaderboard } from '../render/leaderboard.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';

interface LeaderboardFlags {
  comparison?: string;
  intervals: boolean;
  over: 'attempts' | 'tasks';
  resamples: number;
  seed: number;
  estimateK?: number;
  csv?: true;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('leaderboard')
    .summary('models ranked over tasks')
    .description('Rank models over tasks. Failed infrastructure never counts against a model, and always shows.')
    .addOption(
      new Option('--comparison <name>', 'what `bench comparison save` saved under this name, as it was').conflicts(
        FIXED_BY_COMPARISON,
      ),
    );
  addComparisonOptions(command)
    .option('--no-intervals', 'no intervals, and no probability of the largest AUP')
    .addOption(
      new Option('--over <what>', 'the intervals shown: were there other tasks, or other attempts at these')
        .choices(['tasks', 'attempts'])
        .default('tasks'),
    )
    .option('--resamples <n>', 'draws for the intervals', wholeNumber(100, 100_000), 1000)
    .option('--seed <n>', 'of these draws', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--estimate-k <k>', 'estimate the best of k attempts from all, in a table of its own', wholeNumber(1))
    .addOption(new Option('--csv', 'a row per model, as CSV').conflicts('json'))
    .action(async (flags: LeaderboardFlags) => {
      const { output } = context;
      const board = await leaderboard(context, {
        ...comparisonRequest(command),
        comparison: flags.comparison,
        resamples: flags.intervals ? flags.resamples : 0,
        seed: flags.seed,
        estimateK: flags.estimateK,
      });
      output.json(board satisfies Leaderboard);
      if (flags.csv === true) output.data(leaderboardCsv(board));
      else output.print(renderLeaderboard(board, { colors: output.colors, width: output.width, over: flags.over }));
    });
}
