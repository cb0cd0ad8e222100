import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import type { TaskFolder } from '../../domain/task.js';
import { findPrepared, selectTasks } from '../../catalog/index.js';
import type { CliContext } from '../context.js';
import { debianMirror } from '../../operations/tasks/prepare/debian-mirror.js';
import { missingBytes } from '../../operations/tasks/prepare/download.js';
import { prepareTask } from '../../operations/tasks/prepare/prepare-task.js';
import { formatBytes } from '../../domain/format-bytes.js';
import { plural } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { printable } from '../terminal-text.js';

interface PrepareFlags {
  suite?: string;
  sample?: true;
  from?: string;
  force?: true;
  dryRun?: true;
}

export interface PreparedTask {
  task: string;
  /** `none`: the task needs no data; `missing`: only of a dry run. */
  data: 'none' | 'real' | 'sample' | 'missing' | 'failed';
  /** Of all files together. */
  bytes: number | null;
  hash: string | null;
  dir: string | null;
  error: string | null;
}

/** Tasks that a command names by ids, or by a suite. */
export function namedTasks(context: CliContext, ids: readonly string[], suite: string | undefined): TaskFolder[] {
  const names = [...ids, ...(suite === undefined ? [] : [suite])];
  if (names.length === 0)
    throw new BenchError('usage', 'no task is named', {
      remedy: 'Name tasks (`bench tasks` lists them), a suite with --suite, or `all`.',
    });
  return selectTasks(context.settings.configsDir, names);
}

/** What there is to fetch, by source, each once. */
async function toFetch(context: CliContext, tasks: readonly TaskFolder[]): Promise<Map<string, number>> {
  const sources = new Map(tasks.flatMap(({ spec }) => spec.data?.sources ?? []).map((one) => [one.sha256, one]));
  const sizes = new Map<string, number>();
  for (const source of sources.values()) {
    const bytes = await missingBytes(context.settings.layout, source);
    if (bytes > 0) sizes.set(source.name, bytes);
  }
  return sizes;
}

async function prepare(
  context: CliContext,
  tasks: readonly TaskFolder[],
  flags: PrepareFlags,
): Promise<PreparedTask[]> {
  const { settings, output } = context;
  const { layout, assetsRoot } = settings;
  const sample = flags.sample === true;
  const wanted = tasks.filter(({ spec }) => spec.data !== undefined);
  const open = wanted.filter((task) => flags.force === true || findPreparedOrNull(context, task, sample) === null);
  const sizes = sample || flags.from !== undefined ? new Map<string, number>() : await toFetch(context, open);
  const sum = [...sizes.values()].reduce((total, bytes) => total + bytes, 0);
  if (sizes.size > 0)
    output.log(
      `To fetch: ${formatBytes(sum)} (${[...sizes].map(([name, bytes]) => `${name} ${formatBytes(bytes)}`).join(', ')}), into ${layout.downloads}`,
    );
  const rows: PreparedTask[] = [];
  const signal = flags.dryRun === true ? undefined : context.onInterrupt();
  for (const task of tasks) {
    const nothing = { task: task.spec.id, bytes: null, hash: null, dir: null, error: null };
    if (task.spec.data === undefined) rows.push({ ...nothing, data: 'none' });
    else if (flags.dryRun === true && open.includes(task)) rows.push({ ...nothing, data: 'missing' });
    else {
      const progress = downloadProgress(context, task);
      try {
        if (open.includes(task)) output.log(output.logColors.dim(`${task.spec.id}: preparing`));
        const { hash, dir, files } = await prepareTask(task, {
          ...{ layout, assetsRoot, sample, signal },
          ...{ from: flags.from, debianMirror: sample ? null : debianMirror(settings.env) },
          ...{ force: flags.force === true && flags.dryRun !== true },
          onProgress: progress.show,
          onLine: (line) => output.log(output.logColors.dim(`${task.spec.id}: ${line}`)),
        });
        const bytes = files.reduce((total, file) => total + file.bytes, 0);
        rows.push({ ...nothing, data: sample ? 'sample' : 'real', bytes, hash, dir });
      } catch (error) {
        // The others can still be had.
        if (!(error instanceof BenchError)) throw error;
        rows.push({ ...nothing, data: 'failed', error: `${error.message}. ${error.remedy ?? ''}`.trim() });
      } finally {
        progress.end();
      }
    }
  }
  return rows;
}

/** Changed data are made anew by --force alone; what is wrong with them is said when they are asked for. */
function findPreparedOrNull(context: CliContext, task: TaskFolder, sample: boolean) {
  try {
    return findPrepared(context.settings.layout, task, sample);
  } catch (error) {
    if (error instanceof BenchError) return null;
    throw error;
  }
}

/** A bar for each source where stderr can be redrawn; cli-progress knows about terminals. */
function downloadProgress({ output }: CliContext, { spec }: TaskFolder) {
  let current: { name: string; bar: SingleBar } | null = null;
  const end = (): void => {
    current?.bar.stop();
    current = null;
  };
  const show = (name: string, bytes: number): void => {
    if (!output.logInteractive) return;
    if (current?.name !== name) {
      end();
      const total = spec.data?.sources.find((source) => source.name === name)?.bytes ?? bytes;
      const format = `${printable(name)} {bar} {percentage}% of ${formatBytes(total)}, {eta_formatted} left`;
      current = { name, bar: new SingleBar({ format, stream: process.stderr, hideCursor: true }) };
      current.bar.start(total, bytes);
    } else current.bar.update(bytes);
  };
  return { show, end };
}

function render(context: CliContext, rows: readonly PreparedTask[], flags: PrepareFlags): string {
  const { colors } = context.output;
  const table = renderTable(
    rows,
    [
      { title: 'task', value: (row) => row.task },
      {
        title: 'data',
        value: ({ data }) => (data === 'failed' ? colors.red(data) : data === 'none' ? colors.dim('needs none') : data),
      },
      { title: 'size', value: (row) => (row.bytes === null ? '' : formatBytes(row.bytes)), align: 'right' },
      { title: 'hash', value: (row) => row.hash?.slice(0, 12) ?? '' },
    ],
    colors,
  );
  const errors = rows.filter(({ error }) => error !== null).map(({ task, error }) => `${task}: ${error ?? ''}`);
  const note =
    flags.sample === true ? '\nScores on samples are marked, and never stand beside those on the real data.' : '';
  return [table, ...errors].join('\n') + note;
}

export function register(tasks: Command, context: CliContext): void {
  tasks
    .command('prepare')
    .summary("make tasks' data")
    .description(
      "Fetch the sources of tasks' data and make what agents and evaluators need of them, with the answers apart. What is there already is left as it is; what was cut off goes on where it was.",
    )
    .argument('[tasks...]', 'their ids, or `all`')
    .option('--suite <name>', 'the tasks of this suite')
    .option('--sample', 'a small stand-in of the same form instead, without fetching anything')
    .option('--from <folder>', 'a folder that holds sources already, by their names; what is not there is fetched')
    .option('--force', 'make them anew')
    .option('--dry-run', 'only say what is missing, and how much would be fetched')
    .action(async (ids: string[], flags: PrepareFlags) => {
      const rows = await prepare(context, namedTasks(context, ids, flags.suite), flags);
      const failed = rows.filter(({ data }) => data === 'failed');
      context.output.json({ tasks: rows });
      context.output.print(render(context, rows, flags));
      if (failed.length > 0) {
        context.output.log(`${plural(failed.length, 'task')} without data.`);
        context.setExitCode(1);
      }
    });
}
