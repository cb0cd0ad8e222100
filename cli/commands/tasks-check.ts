import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { Backend } from '../../domain/run.js';
import type { TaskFolder } from '../../domain/task.js';
import { findPrepared, underProfile } from '../../catalog/index.js';
import type { CliContext } from '../context.js';
import { missingBytes } from '../../operations/tasks/prepare/download.js';
import { backendOption } from '../options.js';
import { plural } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { chooseBackend } from '../../operations/batches/choose-backend.js';
import {
  type CheckedTask,
  checkTask,
  freeBytesOf,
  NEEDS,
  type Offer,
} from '../../operations/tasks/verify/check-tasks.js';
import { namedTasks } from './tasks-prepare.js';

interface CheckFlags {
  suite?: string;
  sample?: true;
  profile?: string;
  backend?: Backend;
}

/** What the workers that were seen, and this machine's disk, have to give. */
async function offered(context: CliContext, wish: Backend | undefined): Promise<Offer> {
  const backend = await chooseBackend(context, wish ?? null, [], { prepare: null });
  const hosts = await (await context.database()).queries.hosts();
  const memories = hosts.map(({ memoryForRunsMb }) => memoryForRunsMb ?? null);
  return {
    backend,
    gpus: Math.max(0, ...hosts.map(({ gpus }) => gpus.length)),
    memoryMb:
      memories.length === 0 ? null : memories.reduce((a, b) => (a === null || b === null ? null : Math.max(a, b))),
    freeBytes: freeBytesOf(nearest(context.settings.home)),
  };
}

/** The folder, or the one above it that exists. */
const nearest = (dir: string): string => (existsSync(dir) ? dir : nearest(dirname(dir)));

async function check(context: CliContext, tasks: readonly TaskFolder[], flags: CheckFlags): Promise<CheckedTask[]> {
  const { layout } = context.settings;
  const sample = flags.sample === true;
  const offer = await offered(context, flags.backend);
  const rows: CheckedTask[] = [];
  for (const task of underProfile(tasks, { profile: flags.profile ?? null, sample })) {
    let bytes = 0;
    for (const source of sample ? [] : (task.spec.data?.sources ?? [])) bytes += await missingBytes(layout, source);
    const prepared = (one: TaskFolder): boolean => findPrepared(layout, one, sample) !== null;
    rows.push(checkTask(task, offer, { sample, prepared, missingBytes: bytes }));
  }
  return rows;
}

function render({ output: { colors } }: CliContext, tasks: readonly CheckedTask[]): string {
  const words = { ok: colors.green('ok'), lacking: colors.red('lacking'), build: 'to build', none: colors.dim('-') };
  const table = renderTable(
    tasks,
    [
      { title: 'task', value: ({ task }) => task },
      { title: 'ready', value: ({ ready }) => (ready ? colors.green('yes') : colors.red('no')) },
      ...NEEDS.map((name) => ({
        title: name,
        value: ({ needs }: CheckedTask) => {
          const need = needs.find((one) => one.name === name);
          return need === undefined ? '' : words[need.status];
        },
      })),
    ],
    colors,
  );
  const told = tasks.flatMap(({ task, needs }) =>
    needs
      .filter(({ status }) => status === 'lacking' || status === 'build')
      .map(({ name, detail, remedy }) => `${task}, ${name}: ${detail}${remedy === null ? '' : `. Mend it: ${remedy}`}`),
  );
  return [table, ...(told.length === 0 ? [] : ['', ...told])].join('\n');
}

export function register(tasks: Command, context: CliContext): void {
  tasks
    .command('check')
    .summary('what tasks lack to be played here')
    .description(
      'Say of tasks whether they can be played as things are, before anything is spent: data, GPUs, images, memory, disk, and the command that mends each. Exit code 1 if one cannot.',
    )
    .argument('[tasks...]', 'their ids, or `all`')
    .option('--suite <name>', 'the tasks of this suite')
    .option('--sample', 'on sample data')
    .option('--profile <name>', "the budget of this name; default: the task's own, and with --sample `cpu`")
    .addOption(backendOption())
    .action(async (ids: string[], flags: CheckFlags) => {
      const rows = await check(context, namedTasks(context, ids, flags.suite), flags);
      const lacking = rows.filter(({ ready }) => !ready);
      context.output.json({ ready: lacking.length === 0, tasks: rows });
      context.output.print(render(context, rows));
      if (lacking.length === 0) return;
      context.output.log(`${plural(lacking.length, 'task')} of ${rows.length} cannot be played as things are.`);
      context.setExitCode(1);
    });
}
