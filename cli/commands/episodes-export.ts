import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { episodeExportSchema } from '../../domain/requests/episode-list.js';
import type { ExportedEpisodes } from '../../domain/views/training.js';
import { episodeText, exportEpisodes } from '../../operations/episodes/export/export-episodes.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { plural } from '../../domain/text/format.js';
import { requestOptions } from '../schema-flags.js';
import { BATCH_ARGUMENT, filterFields } from './episodes-list.js';

export function register(episodes: Command, context: CliContext): void {
  const { output } = context;
  const command = episodes
    .command('export')
    .summary('write episodes for trainers')
    .description(
      'Write episodes for trainers, in the order in which they were reset: messages, actions with their rewards, masks and policy versions.',
    )
    .argument('[batch]', `${BATCH_ARGUMENT}; default: all`);
  for (const option of requestOptions(episodeExportSchema.shape, { without: ['batch'] })) {
    if (option.long === '--output') Object.assign(option, { short: '-o', flags: `-o, ${option.flags}` });
    command.addOption(option);
  }
  command.action(async (batch: string | undefined, options: Record<string, unknown>) => {
    const request = episodeExportSchema.parse({
      ...filterFields(batch, options),
      ...{ format: options['format'], output: options['output'] },
    });
    if (request.format === 'jsonl' && (request.output ?? '-') === '-') {
      if (output.jsonMode)
        throw new BenchError('usage', 'the export and --json both write to stdout', {
          remedy: 'Write the export to a file with -o.',
        });
      for await (const text of episodeText(context, request)) output.data(text);
      return;
    }
    const written = await exportEpisodes(context, request);
    output.json(written satisfies ExportedEpisodes);
    output.print(`${plural(written.episodes, 'episode')} written to ${written.output}.`);
  });
  addExamples(command, [
    ['bench episodes export spring -o spring.jsonl', 'a line of JSON per episode'],
    ['bench episodes export spring --format air-agent', "air-agent's trajectory files"],
  ]);
}
