import type { Command } from 'commander';
import { Option } from 'commander';
import { leaderboardRequestSchema } from '../../domain/requests/leaderboard.js';
import { leaderboard } from '../../operations/results/leaderboard.js';
import { addComparisonOptions, comparisonRequest, FIXED_BY_COMPARISON } from '../comparison-options.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { requestOptions } from '../schema-flags.js';
import { leaderboardCsv } from '../render/leaderboard-csv.js';
import { markdownForm, terminalForm } from '../render/leaderboard-forms.js';
import { renderLeaderboard } from '../render/leaderboard.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';

interface LeaderboardFlags {
  view?: string;
  csv?: true;
  markdown?: true;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('leaderboard')
    .summary('rank models over tasks')
    .description('Rank models over tasks. Infrastructure failures never count against a model, and are always shown.');
  const { view } = leaderboardRequestSchema.shape;
  for (const option of requestOptions({ view })) command.addOption(option.conflicts(FIXED_BY_COMPARISON));
  addComparisonOptions(command)
    .addOption(new Option('--csv', 'print one row per model as CSV').conflicts('json'))
    .addOption(new Option('--markdown', 'print the tables as Markdown').conflicts(['json', 'csv']))
    .action(async (flags: LeaderboardFlags) => {
      const { output } = context;
      const board = await leaderboard(context, { ...comparisonRequest(command), view: flags.view });
      output.json(board satisfies Leaderboard);
      if (flags.csv === true) output.data(leaderboardCsv(board));
      else if (flags.markdown === true) output.data(`${renderLeaderboard(board, markdownForm)}\n`);
      else output.print(renderLeaderboard(board, terminalForm(output)));
    });
  addExamples(command, [
    ['bench leaderboard', 'the newest batch with a run that counts'],
    ['bench leaderboard --batch all', 'every batch'],
    ['bench leaderboard --suite game-theory --models gpt-4o,gpt-4.1', 'some tasks and models'],
    ['bench leaderboard --batch spring --csv', 'one batch, as CSV'],
    ['bench leaderboard --view paper --markdown', 'a saved view, as Markdown'],
  ]);
}
