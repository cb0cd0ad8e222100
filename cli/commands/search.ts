import type { Command } from 'commander';
import { searchRequestSchema } from '../../domain/requests/search.js';
import { findText } from '../../operations/results/find-text.js';
import type { SearchDocument, SearchHit } from '../../domain/views/search.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { commaListOf } from '../options.js';
import { requestFields, requestOptions, textOf } from '../schema-flags.js';
import { renderSearch, renderSearched } from '../render/search.js';

const { q: sought, batch, model, task, run, in: places, limit } = searchRequestSchema.shape;
const OPTIONS = { batch, models: model, tasks: task, run, in: places, limit };
const PLACES: readonly string[] = places.unwrap().element.options;

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('search')
    .summary('search actions, observations and submissions')
    .description(
      'Find a text in thoughts, actions, observations and submissions of agents, the newest run first. A text in quotes is matched exactly. A text between slashes is a regular expression of PostgreSQL; a trailing i ignores case.',
    )
    .argument('<text>', 'the text; case of A-Z is ignored', textOf(sought))
    .action(async (q: string, options: Record<string, unknown>) => {
      const { output } = context;
      const { models, tasks, ...fields } = requestFields(OPTIONS, options) as Record<string, string[] | undefined>;
      let last: string | null = null;
      const tell = (hits: readonly SearchHit[]): void => {
        output.print(renderSearch(hits, last, output.colors));
        last = hits.at(-1)?.runId ?? last;
      };
      const found = await findText(context, { ...fields, q, model: models, task: tasks }, context.onInterrupt(), tell);
      output.json(found satisfies SearchDocument);
      output.print(output.colors.dim(renderSearched(found)));
    });
  const texts = {
    batch: 'only in these batches, ids or names, comma-separated',
    models: 'only of these models, comma-separated',
    tasks: 'only of these tasks, comma-separated',
    run: 'only in this run: id, or an unambiguous part of it',
    in: `where to look, comma-separated: ${PLACES.join(', ')}`,
    limit: 'number of hits',
  };
  for (const option of requestOptions(OPTIONS, { texts, parsers: { in: commaListOf('place', PLACES) } }))
    command.addOption(option);
  addExamples(command, [
    ["bench search 'CUDA out of memory'", 'runs that ran out of memory'],
    ["bench search '/lr ?= ?1e-[34]/' --in file --batch spring", 'submitted files'],
  ]);
}
