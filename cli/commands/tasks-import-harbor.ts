import { plural } from '../../domain/text/format.js';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { HarborImport, ImportedHarborTask } from '../../domain/views/tasks.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { commaList } from '../options.js';
import { oneLine } from '../render/format.js';
import { renderTable } from '../render/table.js';

interface Flags {
  tasks?: string[];
  into?: string;
  prefix: string;
  base?: { from: string; to: string }[];
  build?: true;
  live?: true;
  force?: true;
  dryRun?: true;
}

/** `image=image`, repeatable. */
function baseOf(text: string, before: NonNullable<Flags['base']> = []): NonNullable<Flags['base']> {
  const [, from, to] = /^([^=\s]+)=([^=\s]+)$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    throw new InvalidArgumentError('Write it as <image>=<image>; in the first, * matches any text.');
  return [...before, { from, to }];
}

const place = ({ file, key, reason }: ImportedHarborTask['refusals'][number]): string =>
  oneLine(`${[file, key].filter((part) => part !== '').join(': ')}: ${reason}`, 300);

function flagsOf({ id, verification, inProcess }: ImportedHarborTask): string {
  if (id === null) return '';
  const kept = { 'clean-room': [], 'same-image': ['same_image'], live: ['live'] }[verification];
  return [...kept, ...(inProcess ? ['in_process'] : [])].join(', ');
}

function render({ output: { colors } }: CliContext, { into, dryRun, imported, tasks }: HarborImport): string {
  const table = renderTable(
    tasks,
    [
      { title: 'harbor', value: ({ task }) => oneLine(task, 80) },
      {
        title: dryRun ? 'would be' : 'status',
        value: ({ id }) => (id === null ? colors.yellow('not imported') : colors.green('imported')),
      },
      { title: 'task', value: ({ id }) => id ?? '' },
      { title: 'verification', value: ({ verification, id }) => (id === null ? '' : verification) },
      { title: 'flags', value: flagsOf },
    ],
    colors,
  );
  const notes = tasks.flatMap(({ task, refusals, remarks }) => [
    ...refusals.map((one) => `${oneLine(task, 80)} is refused: ${place(one)}`),
    ...remarks.map((one) => `${oneLine(task, 80)}: ${place(one)}`),
  ]);
  return [
    table,
    '',
    ...notes,
    `${imported} of ${plural(tasks.length, 'task')} ${dryRun ? 'would be' : 'are'} in ${into}.`,
  ].join('\n');
}

export function register(importing: Command, context: CliContext): void {
  const command = importing
    .command('harbor')
    .summary("import tasks in Harbor's format")
    .description(
      "Make task folders from tasks in Harbor's format, as Terminal-Bench 2 is. Tasks are written to a configs folder of your own, each whole or not at all; what cannot be played safely is refused with file and key. `bench tasks verify` then builds a task's images, and plays its solution and its untouched start. Exit code 1 if a named task, or every task, could not be imported.",
    )
    .argument('<folder>', 'a task, or a folder of tasks')
    .option('--tasks <names>', 'only these, by the names of their folders', commaList)
    .option('--into <folder>', 'configs folder to write to (default: BENCH_CONFIGS, else $BENCH_HOME/configs)')
    .option('--prefix <text>', 'prefix of the new ids', '')
    .option(
      '--base <image=image>',
      'take the second image where a Dockerfile or task.toml names the first, such as ubuntu:*=my-base; repeatable',
      baseOf,
    )
    .option('--build', 'build environment/Dockerfile even where task.toml names an image')
    .option(
      '--live',
      "also tasks whose tests need the agent's running processes: they run in its own container, and no score is ranked",
    )
    .option('--force', 'replace tasks that were imported before')
    .option('--dry-run', 'only print what would be imported')
    .action(async (folder: string, flags: Flags) => {
      const { importHarborTasks } = await import('../../operations/tasks/harbor/import.js');
      const found = importHarborTasks(context, folder, {
        into: flags.into === undefined ? undefined : resolve(flags.into),
        prefix: flags.prefix,
        tasks: flags.tasks,
        bases: flags.base ?? [],
        build: flags.build === true,
        live: flags.live === true,
        force: flags.force === true,
        dryRun: flags.dryRun === true,
      });
      context.output.json(found satisfies HarborImport);
      context.output.print(render(context, found));
      const left = found.tasks.length - found.imported;
      if (found.imported === 0 || (flags.tasks !== undefined && left > 0)) context.setExitCode(1);
    });
  addExamples(command, [
    ['bench tasks import harbor terminal-bench-2/ --dry-run', 'preview the import'],
    ['bench tasks import harbor terminal-bench-2/ --tasks fix-git --prefix tb2-', 'one task'],
  ]);
}
