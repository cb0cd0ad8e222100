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
    .summary('play tasks through, and judge them')
    .description(
      'Play tasks with scripted agents, as any run is played, and judge them: data prepared and without leaks, the starter worth what is stated, the oracle better, wrong submissions rejected with an explanation, the same score again, secrets out of sight, limits held. Exit code 1 if anything fails.',
    )
    .argument('[tasks...]', 'their ids, or `all`')
    .option('--suite <name>', 'the tasks of this suite')
    .option('--sample', 'on sample data')
    .option('--profile <name>', "the budget of this name; default: the task's own, and with --sample `cpu`")
    .addOption(backendOption())
    .option('--agent <name>', 'agent configuration, through which they are played', 'default')
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
