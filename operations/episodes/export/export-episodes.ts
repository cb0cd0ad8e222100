import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { Episodes } from '../../../domain/ports/episodes.js';
import type { Exports } from '../../../domain/ports/exports.js';
import { checkedRequest } from '../../../domain/requests/checked.js';
import {
  type EpisodeExportRequest,
  episodeExportSchema,
  type EpisodeFilter,
} from '../../../domain/requests/episode-list.js';
import type { EpisodeLine, ExportedEpisodes } from '../../../domain/views/training.js';
import { makeTarget, writeNew } from '../../records/export/targets.js';
import { beginning, type BeginningPorts } from '../beginning.js';
import { type EpisodeFilterPorts, wantedEpisodes } from '../list-episodes.js';
import { airAgentTrajectory } from './air-agent.js';
import { episodeLine } from './episode-line.js';

export type EpisodeLinesPorts = BeginningPorts &
  EpisodeFilterPorts & {
    episodes: Pick<Episodes, 'find'>;
    exports: Pick<Exports, 'episodes'>;
  };

/**
 * Episodes with all their messages, in the order in which they were reset: one at a time, however
 * many there are.
 */
export async function* episodeLines(
  ports: EpisodeLinesPorts,
  filter: EpisodeFilter,
): AsyncGenerator<EpisodeLine, void, undefined> {
  const { exports, episodes } = ports;
  for await (const record of exports.episodes(await wantedEpisodes(ports, filter))) {
    const episode = await episodes.find(record.run_id);
    if (episode !== null) yield episodeLine(record, (await beginning(ports, episode)).message);
  }
}

export async function* episodeText(
  ports: EpisodeLinesPorts,
  filter: EpisodeFilter,
): AsyncGenerator<string, void, undefined> {
  for await (const line of episodeLines(ports, filter)) yield `${JSON.stringify(line)}\n`;
}

/** Writes a file, or a folder for air-agent; path omitted: named after the batch. */
export async function exportEpisodes(
  ports: EpisodeLinesPorts,
  input: EpisodeExportRequest = {},
): Promise<ExportedEpisodes> {
  const { format, output, ...filter } = checkedRequest(episodeExportSchema, input);
  const target = output ?? `${filter.batch ?? 'episodes'}${format === 'jsonl' ? '.jsonl' : ''}`;
  let count = 0;
  const counted = async function* () {
    for await (const line of episodeLines(ports, filter)) {
      count++;
      yield line;
    }
  };
  if (format === 'jsonl') {
    const texts = async function* () {
      for await (const line of counted()) yield `${JSON.stringify(line)}\n`;
    };
    await writeNew(target, texts());
  } else {
    makeTarget(target);
    for await (const line of counted()) {
      const { name, trajectory } = airAgentTrajectory(line);
      await writeFile(join(target, name), `${JSON.stringify(trajectory, null, 2)}\n`, { flag: 'wx' }).catch(
        (cause: unknown) => {
          throw new BenchError('usage', `${join(target, name)} cannot be written: ${(cause as Error).message}`, {
            code: 'file.unwritable',
            remedy: 'Choose an empty folder with -o.',
            fields: { output: '<path>' },
            cause,
          });
        },
      );
    }
  }
  return { format, output: target, episodes: count };
}
