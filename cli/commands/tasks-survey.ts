import { plural } from '../../domain/text/format.js';
import type { Command } from 'commander';
import type { HarborSurvey, HarborTask } from '../../domain/views/tasks.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { oneLine } from '../render/format.js';
import { renderTable } from '../render/table.js';

const place = ({ file, key, reason }: HarborTask['refusals'][number]): string =>
  oneLine(`${[file, key].filter((part) => part !== '').join(': ')}: ${reason}`, 200);

function render({ output: { colors } }: CliContext, { playable, tasks }: HarborSurvey): string {
  const table = renderTable(
    tasks,
    [
      { title: 'task', value: ({ task }) => oneLine(task, 80) },
      { title: 'playable', value: (task) => (task.playable ? colors.green('yes') : colors.red('no')) },
      { title: 'verification', value: ({ verification }) => verification },
      {
        title: 'because of',
        value: ({ evidence }) => (evidence === null ? '' : oneLine(`${evidence.file}: ${evidence.text}`, 200)),
      },
      { title: 'in process', value: ({ inProcess }) => (inProcess === null ? '' : 'yes') },
    ],
    colors,
  );
  const notes = tasks.flatMap(({ task, refusals, remarks }) => [
    ...refusals.map((one) => `${oneLine(task, 80)} is refused: ${place(one)}`),
    ...remarks.map((one) => `${oneLine(task, 80)}: ${place(one)}`),
  ]);
  return [table, '', ...notes, `${playable} of ${plural(tasks.length, 'task')} could be played.`].join('\n');
}

export function register(tasks: Command, context: CliContext): void {
  const command = tasks
    .command('survey')
    .summary("read Harbor's tasks and say what they need")
    .description(
      "Read tasks in Harbor's format, as Terminal-Bench 2 is, and say which could be played safely, what each verification needs of the agent's container, and what is refused, with file and key. Runs and stores nothing.",
    )
    .argument('<folder>', 'a task, or a folder of tasks')
    .action(async (folder: string) => {
      const { surveyHarborTasks } = await import('../../operations/tasks/harbor/survey.js');
      const survey = surveyHarborTasks(folder);
      context.output.json(survey satisfies HarborSurvey);
      context.output.print(render(context, survey));
    });
  addExamples(command, [['bench tasks survey terminal-bench-2/', 'every task below a folder']]);
}
