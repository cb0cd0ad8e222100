import { type Command, Option } from 'commander';
import type { ComparisonRequest } from '../operations/results/resolve-comparison.js';
import { axisLength, commaList, wholeNumber } from './options.js';

const comparisonOptions = (): Option[] => [
  new Option('--metric <metric>', 'the score that orders the rows')
    .choices(['best-attempt', 'best-submission'])
    .default('best-attempt'),
  new Option('--models <names>', 'only these models, comma-separated').argParser(commaList),
  new Option(
    '--tasks <ids>',
    'only these tasks, comma-separated; `task@2`: contract 2 instead of the newest',
  ).argParser(commaList),
  new Option('--suite <name>', 'only the tasks of this suite'),
  new Option('--batch <batch>', 'only runs of this batch'),
  new Option('--k <n>', 'count only the first n scored runs of each model and task').argParser(wholeNumber(1)),
  new Option(
    '--T <length>',
    'length of the profile axis, log10 of the ratio to the best (1: a factor of 10); default: from the data',
  ).argParser(axisLength),
  new Option('--mode <mode>', 'strict leaves out suspect scores').choices(['strict', 'compat']).default('strict'),
  new Option(
    '--include-suspect',
    "count suspect scores: outside their task's bounds, or of runs with an integrity mark",
  ),
  new Option('--include-scripted', 'also rank scripted agents, replays and external players'),
  new Option('--include-local', 'also rank runs without isolation'),
  new Option('--include-imported', 'also rank imported runs that another home played'),
  new Option('--sample', 'use runs on sample data, and tasks that need no data; otherwise such runs do not count'),
  new Option(
    '--profile <name>',
    "use runs under this profile, and tasks without it; default: the tasks' own budgets, or `cpu` with --sample",
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
