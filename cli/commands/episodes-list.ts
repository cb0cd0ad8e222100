import type { Command } from 'commander';
import { episodeFilterSchema, episodeListSchema } from '../../domain/requests/episode-list.js';
import type { EpisodesDocument, ShownEpisode } from '../../domain/views/training.js';
import { listEpisodes } from '../../operations/episodes/list-episodes.js';
import { showEpisode } from '../../operations/episodes/show-episode.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderEpisode, renderEpisodes } from '../render/episodes.js';
import { requestFields, requestOptions } from '../schema-flags.js';

export const BATCH_ARGUMENT = 'id, name, or an unambiguous part of the id of a batch';

export const filterFields = (batch: string | undefined, options: Record<string, unknown>) => ({
  ...(batch !== undefined && { batch }),
  ...requestFields(episodeFilterSchema.shape, options),
});

export function register(episodes: Command, context: CliContext): void {
  const { output } = context;
  const list = episodes
    .command('list')
    .summary('list episodes, newest first')
    .description('List episodes that trainers play, newest first, with their rewards.')
    .argument('[batch]', `${BATCH_ARGUMENT}; default: all`);
  for (const option of requestOptions(episodeListSchema.shape, { without: ['batch'] })) list.addOption(option);
  list.action(async (batch: string | undefined, options: Record<string, unknown>) => {
    const request = episodeListSchema.parse({ ...filterFields(batch, options), limit: options['limit'] });
    const found = await listEpisodes(context, request);
    output.json(found satisfies EpisodesDocument);
    output.print(renderEpisodes(found.episodes, output.colors));
    if (found.more) output.print(output.colors.dim(`The newest ${found.episodes.length}; --limit shows more.`));
  });
  addExamples(list, [
    ['bench episodes list --state open', 'open episodes'],
    ['bench episodes list spring --policy-version 12', 'the episodes of one policy version'],
  ]);
  episodes
    .command('show')
    .summary('show an episode, action by action')
    .description(
      'Show an episode: its figures, and the reward and duration of each action. `bench trajectory` prints its texts.',
    )
    .argument('<episode>', 'id of the episode, or of its run')
    .action(async (ref: string) => {
      const shown = await showEpisode(context, ref);
      output.json(shown satisfies ShownEpisode);
      output.print(renderEpisode(shown, output.colors));
    });
}
