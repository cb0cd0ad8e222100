import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { type PrepareTasksRequest, prepareTasksRequestSchema } from '../../domain/requests/tasks.js';
import { formatBytes, plural } from '../../domain/text/format.js';
import { prepareTasks } from '../../operations/tasks/prepare/prepare-tasks.js';
import type { CliContext } from '../context.js';
import { remedyText } from '../render/remedy.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { printable } from '../terminal-text.js';
import type { PreparationDocument } from '../../domain/views/tasks.js';
import type { PreparedTask } from '../../operations/tasks/prepare/prepare-tasks.js';

function prepare(context: CliContext, request: PrepareTasksRequest): Promise<PreparedTask[]> {
  const { output } = context;
  const bar = downloadBar(context);
  return prepareTasks(context, request, {
    signal: request.dryRun === true ? undefined : context.onInterrupt(),
    onProgress: (progress) => {
      switch (progress.kind) {
        case 'to_fetch': {
          const sizes = [...progress.sizes];
          const sum = sizes.reduce((total, [, bytes]) => total + bytes, 0);
          const each = sizes.map(([name, bytes]) => `${name} ${formatBytes(bytes)}`).join(', ');
          output.log(`To fetch: ${formatBytes(sum)} (${each}), into ${progress.into}`);
          break;
        }
        case 'preparing':
          output.log(output.logColors.dim(`${progress.task}: preparing`));
          break;
        case 'fetched':
          bar.show(progress.source, progress.bytes, progress.total ?? progress.bytes);
          break;
        case 'line':
          output.log(output.logColors.dim(`${progress.task}: ${progress.line}`));
          break;
        case 'over':
          bar.end();
      }
    },
  });
}

/** A bar per source where stderr can be redrawn. */
function downloadBar({ output }: CliContext) {
  let current: { name: string; bar: SingleBar } | null = null;
  const end = (): void => {
    current?.bar.stop();
    current = null;
  };
  const show = (name: string, bytes: number, total: number): void => {
    if (!output.logInteractive) return;
    if (current?.name !== name) {
      end();
      const format = `${printable(name)} {bar} {percentage}% of ${formatBytes(total)}, {eta_formatted} left`;
      current = { name, bar: new SingleBar({ format, stream: process.stderr, hideCursor: true }) };
      current.bar.start(total, bytes);
    } else current.bar.update(bytes);
  };
  return { show, end };
}

const withRemedyText = ({ error, remedy = '', fields, ...row }: PreparedTask): PreparedTask => ({
  ...row,
  error: error === null ? null : `${error}. ${remedyText(remedy, fields)}`.trim(),
});

function render(context: CliContext, rows: readonly PreparedTask[], { sample }: PrepareTasksRequest): string {
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
  const note = sample === true ? '\nScores on samples are marked, and never ranked with scores on the real data.' : '';
  return [table, ...errors].join('\n') + note;
}

export function register(tasks: Command, context: CliContext): void {
  const command = tasks
    .command('prepare')
    .summary("fetch and prepare tasks' data")
    .description(
      "Fetch the sources of tasks' data, and prepare what agents and evaluators need, with the answers kept apart. Prepared data is left alone; interrupted downloads continue.",
    )
    .argument('[tasks...]', 'task ids, or `all`')
    .action(async (ids: string[], flags: Record<string, unknown>) => {
      const request: PrepareTasksRequest = { ids, ...requestFields(prepareTasksRequestSchema.shape, flags) };
      const rows = (await prepare(context, request)).map(withRemedyText);
      const failed = rows.filter(({ data }) => data === 'failed');
      context.output.json({ tasks: rows } satisfies PreparationDocument);
      context.output.print(render(context, rows, request));
      if (failed.length > 0) {
        context.output.log(`${plural(failed.length, 'task')} without data.`);
        context.setExitCode(1);
      }
    });
  for (const option of requestOptions(prepareTasksRequestSchema.shape, { without: ['ids'] })) command.addOption(option);
}
