import type { Command } from 'commander';
import { verifyTasksRequestSchema } from '../../domain/requests/tasks.js';
import type { CliContext } from '../context.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { plural } from '../../domain/text/format.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { CHECKS } from '../../operations/tasks/verify/judge-task.js';
import { verifyTasks } from '../../operations/tasks/verify/verify-tasks.js';
import type { VerificationDocument, VerifiedTask } from '../../domain/views/tasks.js';

function render({ output: { colors } }: CliContext, tasks: readonly VerifiedTask[]): string {
  const words = { ok: colors.green('ok'), failed: colors.red('failed'), none: colors.dim('-') };
  const table = renderTable(
    tasks,
    [
      { title: 'task', value: ({ task }) => task },
      ...CHECKS.map((name) => ({
        title: name,
        value: ({ checks }: VerifiedTask) => {
          const check = checks.find((one) => one.name === name);
          return check === undefined ? '' : words[check.status];
        },
      })),
    ],
    colors,
  );
  const lines = tasks.flatMap(({ task, ok, checks }) =>
    checks
      .filter(({ name, status }) => status === 'failed' || (ok && (name === 'baseline' || name === 'oracle')))
      .map(
        ({ name, status, detail }) => `${status === 'failed' ? words.failed : words.ok}  ${task}, ${name}: ${detail}`,
      ),
  );
  return [table, '', ...lines].join('\n');
}

export function register(tasks: Command, context: CliContext): void {
  const command = tasks
    .command('verify')
    .summary('play tasks and check them')
    .description(
      'Play tasks with scripted agents and check them: data is prepared and does not leak, the starter scores as stated, the oracle scores better, wrong submissions are rejected with an explanation, scores repeat, secrets stay hidden, limits hold. Exit code 1 if anything fails.',
    )
    .argument('[tasks...]', 'task ids, or `all`')
    .action(async (ids: string[], flags: Record<string, unknown>) => {
      const verification = await verifyTasks(
        context,
        { ids, ...requestFields(verifyTasksRequestSchema.shape, flags) },
        async (batchId) => {
          const { detached } = await followBatch(context, batchId, { where: 'stderr' });
          if (detached) context.output.log(detachedAdvice(batchId));
          return !detached;
        },
      );
      if (verification === null) {
        context.setExitCode(130);
        return;
      }
      const failed = verification.tasks.filter(({ ok }) => !ok);
      context.output.json({ ok: failed.length === 0, ...verification } satisfies VerificationDocument);
      context.output.print(render(context, verification.tasks));
      if (failed.length === 0) return;
      context.output.log(`${plural(failed.length, 'task')} of ${verification.tasks.length} failed.`);
      context.setExitCode(1);
    });
  for (const option of requestOptions(verifyTasksRequestSchema.shape, { without: ['ids'] })) command.addOption(option);
}
