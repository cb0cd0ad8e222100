import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { MlgymTask } from '../../domain/mlgym/tasks.js';
import type { CliContext } from '../context.js';
import { register as registerHarbor } from './tasks-import-harbor.js';
import { commaList } from '../options.js';
import { plural } from '../../domain/text/format.js';
import { remedyText } from '../render/remedy.js';
import type { ImportProblem } from '../../operations/tasks/import/mlgym-config.js';
import { renderTable } from '../render/table.js';
import type { ImportedTask, ImportedTasksDocument } from '../../domain/views/tasks.js';

interface Flags {
  tasks?: string[];
  into?: string;
  prefix: string;
  data?: string;
  generate?: true;
  metric?: Record<string, Pick<MlgymTask, 'metric' | 'direction'>>;
  submission?: Record<string, string[]>;
  secret?: Record<string, string[]>;
  requirements?: Record<string, string>;
  force?: true;
  dryRun?: true;
}

/** `task=metric:max`, repeatable. */
function metricOf(text: string, before: Flags['metric'] = {}): NonNullable<Flags['metric']> {
  const [, task, metric, end] = /^([^=]+)=(.+):(max|min)(?:imize)?$/.exec(text.trim()) ?? [];
  if (task === undefined || metric === undefined)
    throw new InvalidArgumentError('Write it as <task>=<key>:max or <task>=<key>:min.');
  return { ...before, [task]: { metric, direction: end === 'max' ? 'maximize' : 'minimize' } };
}

/** `task=path,path`, repeatable. */
function pathsOf(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const [, task, paths] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  const named = (paths ?? '').split(',').map((path) => path.trim());
  if (task === undefined || named.some((path) => path === '' || path.startsWith('/') || path.split('/').includes('..')))
    throw new InvalidArgumentError('Write it as <task>=<path>,<path>, with paths in the workspace.');
  return { ...before, [task]: [...(before[task] ?? []), ...named] };
}

/** `task=file`, repeatable. */
function fileOf(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, task, file] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  if (task === undefined || file === undefined || !existsSync(file))
    throw new InvalidArgumentError('Write it as <task>=<file>, with an existing file.');
  return { ...before, [task]: resolve(file) };
}

const withRemedyText = ({ fields, remedy, ...problem }: ImportProblem) => ({
  ...problem,
  remedy: remedyText(remedy, fields),
});

function render(context: CliContext, tasks: readonly ImportedTask[], into: string, dryRun: boolean): string {
  const { colors } = context.output;
  const table = renderTable(
    tasks,
    [
      { title: 'mlgym', value: (row) => row.id },
      {
        title: dryRun ? 'would be' : 'status',
        value: ({ status }) => (status === 'imported' ? colors.green(status) : colors.yellow(status)),
      },
      { title: 'task', value: (row) => row.task ?? '' },
      { title: 'submission', value: (row) => row.submission.join(', ') },
    ],
    colors,
  );
  const details = tasks.flatMap((row) => [
    ...row.notes.map((note) => `${row.id}: ${note}`),
    ...(row.next === null ? [] : [`${row.id}: ${row.next}`]),
    ...row.problems.map(
      ({ file, key, message, remedy }) => `${row.id}: ${file}: ${key === '' ? '' : `${key}: `}${message}. ${remedy}`,
    ),
  ]);
  const count = tasks.filter(({ status }) => status !== 'not_imported').length;
  const place = `${plural(count, 'task')} of ${tasks.length} ${dryRun ? 'would be' : 'are'} in ${join(into, 'tasks')}.`;
  const hint =
    context.settings.configFolders.includes(into) || dryRun ? '' : ` To use them: export BENCH_CONFIGS=${into}`;
  return [table, '', ...details, '', place + hint].join('\n');
}

export function register(tasks: Command, context: CliContext): void {
  const importing = tasks
    .command('import')
    .summary('import tasks')
    .description('Import tasks that were written for another benchmark.');
  registerHarbor(importing, context);
  importing
    .command('mlgym')
    .summary('import tasks of an MLGym checkout; its runs: `bench import mlgym`')
    .description(
      "Make task folders from MLGym's configs, starter code, local data and evaluators, which stay unchanged. " +
        'Tasks are written to a configs folder of your own, each whole or not at all. Exit code 1 if a named task, or every task, could not be imported.',
    )
    .argument('<checkout>', "folder with MLGym's configs/ and data/")
    .option('--tasks <ids>', "only these, by MLGym's ids; default: all that can be imported", commaList)
    .option(
      '--into <folder>',
      'configs folder to write to, created as a copy of the bundled one if it does not exist (default: BENCH_CONFIGS, else $BENCH_HOME/configs)',
    )
    .option('--prefix <text>', 'prefix of the new ids', 'mlgym-')
    .option('--data <folder>', 'folder with datasets that the checkout lacks, under data_path of the configs')
    .option('--generate', 'generate the instances of 3SATTime, which are not published')
    .option(
      '--metric <task=key:max|min>',
      'metric that ranks a task, where it cannot be detected; repeatable',
      metricOf,
    )
    .option('--submission <task=files>', 'files that agents submit, where detection is wrong; repeatable', pathsOf)
    .option('--secret <task=files>', 'more files for the evaluator only, such as data/answers.csv; repeatable', pathsOf)
    .option(
      '--requirements <task=file>',
      'pinned packages of a task that needs more than numpy, scipy, scikit-learn and pandas; repeatable',
      fileOf,
    )
    .option('--force', 'replace tasks that were imported before')
    .option('--dry-run', 'only print what would be imported')
    .action(async (checkout: string, flags: Flags) => {
      const { importCheckout } = await import('../../operations/tasks/import/import-checkout.js');
      const dryRun = flags.dryRun === true;
      const { into, tasks: imported } = await importCheckout(context, checkout, {
        into: flags.into === undefined ? undefined : resolve(flags.into),
        prefix: flags.prefix,
        tasks: flags.tasks,
        data: flags.data === undefined ? undefined : resolve(flags.data),
        generate: flags.generate === true,
        metrics: flags.metric ?? {},
        submissions: flags.submission ?? {},
        secrets: flags.secret ?? {},
        requirements: flags.requirements ?? {},
        force: flags.force === true,
        dryRun,
      });
      const found = imported.map((task) => ({ ...task, problems: task.problems.map(withRemedyText) }));
      context.output.json({ into, dryRun, tasks: found } satisfies ImportedTasksDocument);
      context.output.print(render(context, found, into, dryRun));
      const left = found.filter(({ status }) => status === 'not_imported');
      if (left.length === found.length || (flags.tasks !== undefined && left.length > 0)) context.setExitCode(1);
    });
}
