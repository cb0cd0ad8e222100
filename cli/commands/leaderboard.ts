import type { Command } from 'commander';
import { Option } from 'commander';
import { selectTasks } from '../../registry/index.js';
import type { CliContext } from '../context.js';
import { commaList, wholeNumber } from '../options.js';
import { renderLeaderboard } from '../render/leaderboard.js';

interface LeaderboardFlags {
  metric: 'best-attempt' | 'best-submission';
  mode: 'strict' | 'compat';
  models?: string[];
  tasks?: string[];
  suite?: string;
  batch?: string;
  k?: number;
  includeSuspect?: true;
  includeScripted?: true;
  includeLocal?: true;
}

export function register(program: Command, context: CliContext): void {
  program
    .command('leaderboard')
    .summary('models ranked over tasks')
    .description('Rank models over tasks. Failed infrastructure never counts against a model, and always shows.')
    .addOption(
      new Option('--metric <metric>', 'what orders the rows')
        .choices(['best-attempt', 'best-submission'])
        .default('best-attempt'),
    )
    .option('--models <names>', 'only these models, by commas', commaList)
    .option('--tasks <ids>', 'only these tasks, by commas', commaList)
    .option('--suite <name>', 'only the tasks of this suite')
    .option('--batch <batch>', 'only runs of this batch')
    .option('--k <n>', 'only the first n scored runs of each model and task', wholeNumber(1))
    .addOption(
      new Option('--mode <mode>', 'strict: suspect scores do not count')
        .choices(['strict', 'compat'])
        .default('strict'),
    )
    .option('--include-suspect', 'count scores outside of the bounds that their task declares')
    .option('--include-scripted', 'rank scripted agents, replays and people too')
    .option('--include-local', 'rank runs without isolation too')
    .action(async (flags: LeaderboardFlags) => {
      const { settings, output } = context;
      const suite =
        flags.suite === undefined ? [] : selectTasks(settings.configsDir, [flags.suite]).map(({ spec }) => spec.id);
      const tasks = [...(flags.tasks ?? []), ...suite];
      const { queries } = await context.database();
      const board = await queries.leaderboard({
        metric: flags.metric,
        mode: flags.mode,
        models: flags.models,
        tasks: tasks.length === 0 ? undefined : tasks,
        batchId: flags.batch === undefined ? undefined : (await queries.findBatch(flags.batch)).batchId,
        k: flags.k,
        includeSuspect: flags.includeSuspect === true,
        includeScripted: flags.includeScripted === true,
        includeLocal: flags.includeLocal === true,
      });
      output.json(board);
      output.print(renderLeaderboard(board, output.colors));
    });
}
