import type { Command } from 'commander';
import { checkTasksRequestSchema } from '../../domain/requests/tasks.js';
import { checkTasks } from '../../operations/tasks/check.js';
import { type Need, NEEDS } from '../../operations/tasks/verify/check-tasks.js';
import type { CliContext } from '../context.js';
import { plural } from '../../domain/text/format.js';
import { remedyText } from '../render/remedy.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import type { CheckedTask, TaskChecksDocument } from '../../domain/views/tasks.js';

const withRemedyText = ({ fields, remedy, ...need }: Need): Need => ({
  ...need,
  remedy: remedy === null ? null : remedyText(remedy, fields),
});

function render({ output: { colors } }: CliContext, tasks: readonly CheckedTask[]): string {
  const words = { ok: colors.green('ok'), missing: colors.red('missing'), build: 'to build', none: colors.dim('-') };
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
  const lines = tasks.flatMap(({ task, needs }) =>
    needs
      .filter(({ status }) => status === 'missing' || status === 'build')
      .map(({ name, detail, remedy }) => `${task}, ${name}: ${detail}${remedy === null ? '' : `. Fix: ${remedy}`}`),
  );
  return [table, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
}

export function register(tasks: Command, context: CliContext): void {
  const command = tasks
    .command('check')
    .summary('check whether tasks can run here')
    .description(
      'Check whether tasks can run here before you submit a batch: data, GPUs, images, memory, disk; prints the command that fixes each. Exit code 1 if a task cannot run.',
    )
    .argument('[tasks...]', 'task ids, or `all`')
    .action(async (ids: string[], flags: Record<string, unknown>) => {
      const checked = await checkTasks(context, { ids, ...requestFields(checkTasksRequestSchema.shape, flags) });
      const rows = checked.map((row) => ({ ...row, needs: row.needs.map(withRemedyText) }));
      const missing = rows.filter(({ ready }) => !ready);
      context.output.json({ ready: missing.length === 0, tasks: rows } satisfies TaskChecksDocument);
      context.output.print(render(context, rows));
      if (missing.length === 0) return;
      context.output.log(`${plural(missing.length, 'task')} of ${rows.length} cannot run here.`);
      context.setExitCode(1);
    });
  for (const option of requestOptions(checkTasksRequestSchema.shape, { without: ['ids'] })) command.addOption(option);
}
