import { formatScore } from '../../domain/text/format.js';
import { join } from 'node:path';
import type { Command } from 'commander';
import { renderTemplate } from '../../domain/agent/templates.js';
import { statedBaseline } from '../../domain/task/baseline.js';
import { CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import { submissionNames } from '../../domain/run/submission-contract.js';
import { listTasks } from '../../operations/tasks/list.js';
import { showTask } from '../../operations/tasks/show.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { oneLine } from '../render/format.js';
import { PLACES, placeText } from '../render/config-place.js';
import { renderFields, renderTable } from '../render/table.js';
import { networkText } from '../render/world.js';
import { register as registerCheck } from './tasks-check.js';
import { register as registerImport } from './tasks-import.js';
import { register as registerNew } from './tasks-new.js';
import { register as registerPrepare } from './tasks-prepare.js';
import { register as registerSurvey } from './tasks-survey.js';
import { register as registerVerify } from './tasks-verify.js';
import type { TaskDocument, TasksDocument } from '../../domain/views/catalog.js';

function list(context: CliContext): void {
  const { settings, output } = context;
  const document = listTasks(context);
  const { tasks } = document;
  output.json(document satisfies TasksDocument);
  const places = settings.configFolders.map((folder) => join(folder, 'tasks'));
  if (tasks.length === 0) output.print(`There are no tasks under ${places.join(' or ')}.`);
  else {
    output.print(
      renderTable(
        tasks,
        [
          { title: 'task', value: (task) => task.id },
          { title: 'name', value: (task) => task.name ?? output.colors.red('broken') },
          { title: 'from', value: placeText },
          { title: 'domain', value: (task) => task.domain ?? '' },
          {
            title: 'metric',
            value: (task) => (task.primary === null ? '' : `${task.primary} (${task.direction ?? ''})`),
          },
          {
            title: 'baseline',
            value: (task) => (task.error === null ? formatScore(task.baseline) : ''),
            align: 'right',
          },
          { title: 'gpus', value: (task) => String(task.gpus ?? ''), align: 'right' },
        ],
        output.colors,
      ),
    );
  }
}

function show(context: CliContext, id: string): void {
  const { output } = context;
  const task = showTask(context, id);
  const { spec } = task;
  output.json({ ...spec, dir: task.dir, contentHash: task.contentHash } satisfies TaskDocument);
  output.print(
    renderFields(
      [
        ['task', output.colors.bold(spec.id)],
        ['name', spec.name],
        ['domain', spec.domain],
        ['contract', String(spec.contract)],
        [
          'metrics',
          Object.entries(spec.metrics)
            .map(([name, m]) => `${name} (${m.direction}): ${oneLine(m.description, 80)}`)
            .join('; '),
        ],
        ['ranked by', spec.primary],
        ['baseline', formatScore(statedBaseline(spec)?.value)],
        ['submission', submissionNames(spec.submission)],
        ['evaluator', `${spec.evaluator.kind}, splits ${spec.splits.join(', ')}`],
        ['command limit', `${spec.limits.commandSeconds} s`],
        ['container', `${spec.limits.cpus} cpus, ${spec.limits.memoryMb} MB, ${spec.limits.pids} processes`],
        ['network', networkText(spec.network)],
        ['gpus', String(spec.gpus)],
        ...(spec.profiles === undefined ? [] : [['profiles', Object.keys(spec.profiles).join(', ')] as const]),
        ['folder', task.dir],
        ['content', task.contentHash],
      ],
      output.colors,
    ),
  );
  const variables = {
    task: spec,
    workspace: CONTAINER_WORKSPACE,
    maxSteps: 50,
    commandSeconds: spec.limits.commandSeconds,
  };
  output.print(`\n${renderTemplate('description', spec.description, variables).trim()}`);
}

export function register(program: Command, context: CliContext): void {
  const tasks = program
    .command('tasks')
    .summary('list, prepare, check and write tasks')
    .description('List, prepare, check and write tasks: one folder each in `tasks/` of a configuration folder.');
  tasks
    .command('list', { isDefault: true })
    .summary('list tasks (the default)')
    .description(`List all tasks. ${PLACES}`)
    .action(() => list(context));
  tasks
    .command('show')
    .summary('show one task')
    .description('Show one task: metrics, limits, and its prompt.')
    .argument('<task>', 'id of the task')
    .action((id: string) => show(context, id));
  addExamples(tasks, [
    ['bench tasks', 'list tasks'],
    ['bench tasks show battleOfSexes', 'one task, with its prompt'],
    ['bench tasks prepare --suite rl --sample', 'make sample data, download nothing'],
    ['bench tasks check all', 'check whether all tasks can run here'],
  ]);
  registerPrepare(tasks, context);
  registerCheck(tasks, context);
  registerSurvey(tasks, context);
  registerVerify(tasks, context);
  registerNew(tasks, context);
  registerImport(tasks, context);
}
