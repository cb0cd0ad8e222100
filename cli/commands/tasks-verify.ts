import type { Command } from 'commander';
import type { Backend } from '../../domain/run.js';
import type { CliContext } from '../context.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { backendOption, wholeNumber } from '../options.js';
import { plural } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { namedTasks } from '../../operations/tasks/named-tasks.js';
import { CHECKS } from '../../operations/tasks/verify/judge-task.js';
import { verifyTasks } from '../../operations/tasks/verify/verify-tasks.js';
import type { VerificationDocument, VerifiedTask } from '../../domain/views/tasks.js';

interface VerifyFlags {
  suite?: string;
  sample?: true;
  profile?: string;
  backend?: Backend;
  agent: string;
  concurrency: number;
}

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
  const told = tasks.flatMap(({ task, ok, checks }) =>
    checks
      .filter(({ name, status }) => status === 'failed' || (ok && (name === 'baseline' || name === 'oracle')))
      .map(
        ({ name, status, detail }) => `${status === 'failed' ? words.failed : words.ok}  ${task}, ${name}: ${detail}`,
      ),
  );
  return [table, '', ...told].join('\n');
}

export function register(tasks: Command, context: CliContext): void {
  tasks
    .command('verify')
    .summary('play tasks and check them')
    .description(
      'Play tasks with scripted agents and check them: data is prepared and does not leak, the starter scores as stated, the oracle scores better, wrong submissions are rejected with an explanation, scores repeat, secrets stay hidden, limits hold. Exit code 1 if anything fails.',
    )
    .argument('[tasks...]', 'task ids, or `all`')
    .option('--suite <name>', 'also the tasks of this suite')
    .option('--sample', 'use sample data')
    .option('--profile <name>', "use this profile; default: the task's own budget, or `cpu` with --sample")
    .addOption(backendOption())
    .option('--agent <name>', 'agent configuration to play with', 'default')
    .option('--concurrency <n>', 'runs at the same time', wholeNumber(1, 100), 2)
    .action(async (ids: string[], flags: VerifyFlags) => {
      const verification = await verifyTasks(
        context,
        namedTasks(context, { ids, suite: flags.suite }),
        {
          ...{ sample: flags.sample === true, profile: flags.profile ?? null, backend: flags.backend ?? null },
          ...{ agent: flags.agent, concurrency: flags.concurrency },
        },
        async (batchId) => {
          const { detached } = await followBatch(context, batchId, 'stderr');
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
}
