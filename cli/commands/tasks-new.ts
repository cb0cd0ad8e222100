import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { ownConfigs } from '../../operations/catalog/config-place.js';
import { newTask, TASK_KINDS, type TaskKind } from '../../operations/tasks/new.js';
import type { NewTaskDocument } from '../../domain/views/tasks.js';

export function register(tasks: Command, context: CliContext): void {
  tasks
    .command('new')
    .summary('create a task')
    .description(
      'Create the folder of a task that runs as it is: task.yaml, starter, evaluator, oracle, README. See docs/guides/writing-a-task.md.',
    )
    .argument('<id>', 'id of the task, and name of its folder')
    .addOption(
      new Option(
        '--kind <kind>',
        'what is scored: moves of a game, answers to questions, files (a share of right labels, a macro F1 over classes, or an error of numbers), or the output of a program',
      )
        .choices(TASK_KINDS)
        .default('data'),
    )
    .option(
      '--config-dir <folder>',
      'configuration folder to write to (default: BENCH_CONFIGS, else $BENCH_HOME/configs)',
    )
    .action((id: string, flags: { kind: TaskKind; configDir?: string }) => {
      const { settings, output } = context;
      const configsDir = flags.configDir === undefined ? ownConfigs(settings) : resolve(flags.configDir);
      const made = newTask({ assetsRoot: settings.assetsRoot, configsDir, id, kind: flags.kind });
      const { next } = made;
      output.json({ task: id, kind: flags.kind, dir: made.dir, files: made.files, next } satisfies NewTaskDocument);
      for (const file of made.files) output.print(`${made.dir}/${file}`);
      output.print(`\nNext: ${next.join(' && ')}`);
    });
}
