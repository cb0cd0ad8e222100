import { formatScore } from '../../domain/text/format.js';
import type { Command } from 'commander';
import { savedComparisonRequestSchema } from '../../domain/requests/comparison.js';
import { DEFAULT_PROFILE, profileMeant } from '../../domain/task/profile.js';
import { comparisonDocument } from '../../operations/results/comparisons/document.js';
import { listComparisons } from '../../operations/results/comparisons/list.js';
import { removeComparison } from '../../operations/results/comparisons/remove.js';
import { saveComparison } from '../../operations/results/comparisons/save.js';
import { showComparison } from '../../operations/results/comparisons/show.js';
import { addComparisonOptions, comparisonRequest } from '../comparison-options.js';
import type { CliContext } from '../context.js';
import { formatTime, movedBaseline } from '../render/format.js';
import { renderFields, renderTable } from '../render/table.js';
import type {
  ComparisonDocument,
  ComparisonsDocument,
  RemovedComparison,
  SavedComparison,
  ShownComparison,
} from '../../domain/views/comparisons.js';
import type { SavedComparisonState } from '../../domain/views/leaderboard.js';

const render = (
  saved: SavedComparison,
  colors: CliContext['output']['colors'],
  changedBaselines: SavedComparisonState['changedBaselines'] = [],
): string => {
  const { models, tasks, contracts, baselines, targets, k, axis, mode, metric } = saved.options;
  const { include = [], sample, batchId } = saved.options;
  const profile = profileMeant(saved.options.profile, sample === true);
  return renderFields(
    [
      ['comparison', saved.name],
      ['saved', formatTime(saved.createdAt)],
      ['models', models.join(', ')],
      [
        'tasks',
        tasks
          .map((task) => {
            const baseline = baselines[task] ?? null;
            const target = targets?.[task] ?? null;
            return `${task} (contract ${contracts[task]}${baseline === null ? '' : `, baseline ${formatScore(baseline)}`}${target === null ? '' : `, target ${formatScore(target)}`})`;
          })
          .join(', '),
      ],
      [
        'runs',
        `${k === undefined ? 'all' : `the first ${k} of each model and task`}${batchId === undefined ? '' : ` in ${batchId}`}`,
      ],
      ['rules', `${mode}, ${metric}, T = ${axis}`],
      ...(sample === true ? [['data', 'samples'] as const] : []),
      ...(profile === DEFAULT_PROFILE ? [] : [['profile', profile] as const]),
      ...(include.length === 0 ? [] : [['included', include.join(', ')] as const]),
      ...(changedBaselines.length === 0
        ? []
        : [['baselines now', `${changedBaselines.map(movedBaseline).join(', ')}; the saved ones are used`] as const]),
    ],
    colors,
  );
};

export function register(program: Command, context: CliContext): void {
  const { output } = context;
  const comparisons = program
    .command('comparisons')
    .summary('save comparisons whose figures stay fixed')
    .description(
      'Save what a leaderboard compares (models, tasks, k, T and rules) under a name. `bench leaderboard --view <name>` then prints the same figures whatever is added later, and lists what it omits.',
    );
  addComparisonOptions(
    comparisons
      .command('save')
      .argument('<name>', 'name of the comparison')
      .summary('save a comparison')
      .description('Save what `bench leaderboard` compares now with the same options.'),
    savedComparisonRequestSchema.shape,
  ).action(async (name: string, _flags: unknown, command: Command) => {
    const saved = await saveComparison(context, name, comparisonRequest(command));
    output.json(comparisonDocument(saved) satisfies ComparisonDocument);
    output.print(render(saved, output.colors));
  });
  comparisons
    .command('list')
    .summary('list saved comparisons')
    .description('List saved comparisons by name.')
    .action(async () => {
      const all = await listComparisons(context);
      output.json({ comparisons: all.map(comparisonDocument) } satisfies ComparisonsDocument);
      if (all.length === 0) output.print('No comparisons yet. `bench comparisons save <name>` saves one.');
      else
        output.print(
          renderTable(
            all,
            [
              { title: 'comparison', value: ({ name }) => name },
              { title: 'models', value: ({ options }) => String(options.models.length), align: 'right' },
              { title: 'tasks', value: ({ options }) => String(options.tasks.length), align: 'right' },
              {
                title: 'k',
                value: ({ options }) => (options.k === undefined ? 'all' : String(options.k)),
                align: 'right',
              },
              { title: 'T', value: ({ options }) => String(options.axis), align: 'right' },
              { title: 'mode', value: ({ options }) => options.mode ?? 'strict' },
              { title: 'saved', value: ({ createdAt }) => formatTime(createdAt) },
            ],
            output.colors,
          ),
        );
    });
  comparisons
    .command('show')
    .argument('<name>', 'name of the comparison')
    .summary('show a saved comparison')
    .description('Show what a comparison fixes, and which of its baselines have changed since.')
    .action(async (name: string) => {
      const { saved, changedBaselines } = await showComparison(context, name);
      output.json({ ...comparisonDocument(saved), changedBaselines } satisfies ShownComparison);
      output.print(render(saved, output.colors, changedBaselines));
    });
  comparisons
    .command('remove')
    .argument('<name>', 'name of the comparison')
    .summary('remove a saved comparison')
    .description('Remove a comparison. Its runs and scores stay.')
    .action(async (name: string) => {
      await removeComparison(context, name);
      output.json({ removed: name } satisfies RemovedComparison);
      output.print(`Removed the comparison ${name}.`);
    });
}
