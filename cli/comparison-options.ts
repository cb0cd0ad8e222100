import { type Command, Option } from 'commander';
import type { ComparisonRequest } from '../operations/results/resolve-comparison.js';
import { axisLength, commaList, wholeNumber } from './options.js';

const comparisonOptions = (): Option[] => [
  new Option('--metric <metric>', 'what orders the rows')
    .choices(['best-attempt', 'best-submission'])
    .default('best-attempt'),
  new Option('--models <names>', 'only these models, by commas').argParser(commaList),
  new Option('--tasks <ids>', 'only these tasks, by commas; `task@2`: of contract 2, else of the newest').argParser(
    commaList,
  ),
  new Option('--suite <name>', 'only the tasks of this suite'),
  new Option('--batch <batch>', 'only runs of this batch'),
  new Option('--k <n>', 'only the first n runs that count of each model and task').argParser(wholeNumber(1)),
  new Option(
    '--T <length>',
    'length of the axis of the profiles, log10 of the ratio to the best: 1 is a factor of 10; default: as the data give it',
  ).argParser(axisLength),
  new Option('--mode <mode>', 'strict: suspect scores do not count').choices(['strict', 'compat']).default('strict'),
  new Option(
    '--include-suspect',
    "count suspect scores: outside of their task's bounds, or of runs with an integrity mark",
  ),
  new Option('--include-scripted', 'rank scripted agents, replays and external players too'),
  new Option('--include-local', 'rank runs without isolation too'),
  new Option('--include-imported', 'rank runs that came by `bench import jsonl` from elsewhere too'),
  new Option('--sample', 'of runs on sample data, and of tasks that need no data; otherwise these runs do not count'),
  new Option(
    '--profile <name>',
    "of runs under the budget of this name, and of tasks that do not have it; default: the tasks' own, and with --sample `cpu`",
  ),
];

export function addComparisonOptions(command: Command): Command {
  for (const option of comparisonOptions()) command.addOption(option);
  return command;
}

/** The names of those that a saved comparison fixes. `metric` only orders the rows. */
export const FIXED_BY_COMPARISON = comparisonOptions()
  .map((option) => option.attributeName())
  .filter((name) => name !== 'metric');

/** What the command line says of what is compared; what it leaves out has the operation's defaults. */
export const comparisonRequest = (command: Command): ComparisonRequest =>
  Object.fromEntries(
    comparisonOptions()
      .map((option) => option.attributeName())
      .filter((name) => command.getOptionValueSource(name) === 'cli')
      .map((name) => [name, command.getOptionValue(name) as unknown]),
  );
