import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { checkedRequest } from '../../../domain/requests/checked.js';
import {
  type EpisodeExportRequest,
  episodeExportSchema,
  type EpisodeFilter,
} from '../../../domain/requests/episode-list.js';
import type { EpisodeLine, ExportedEpisodes } from '../../../domain/views/training.js';
import type { Bench } from '../../bench.js';
import { makeTarget, writeNew } from '../../records/export/targets.js';
import { wantedEpisodes } from '../list-episodes.js';
import { beginning } from '../reset.js';
import { type ExchangeFormat, isExchange } from '../../records/export/exchange/formats.js';
import { airAgentTrajectory } from './air-agent.js';
import { episodeLine } from './episode-line.js';

/** Episodes with all that was said in them, in the order in which they were reset: one at a time, however many there are. */
export async function* episodeLines(bench: Bench, filter: EpisodeFilter): AsyncGenerator<EpisodeLine, void, undefined> {
  const { exports, episodes } = await bench.database();
  for await (const record of exports.episodes(await wantedEpisodes(bench, filter))) {
    const episode = await episodes.find(record.run_id);
    if (episode !== null) yield episodeLine(record, (await beginning(bench, episode)).message);
  }
}

/** The same as JSON lines. */
export async function* episodeText(bench: Bench, filter: EpisodeFilter): AsyncGenerator<string, void, undefined> {
  for await (const line of episodeLines(bench, filter)) yield `${JSON.stringify(line)}\n`;
}

/** Writes episodes to a new file, or as trajectory files of air-agent into a folder; left out: one named after the batch. */
export async function exportEpisodes(bench: Bench, input: EpisodeExportRequest = {}): Promise<ExportedEpisodes> {
  const { format, output, ...filter } = checkedRequest(episodeExportSchema, input);
  const target = output ?? `${filter.batch ?? 'episodes'}${format === 'jsonl' ? '.jsonl' : ''}`;
  if (isExchange(format)) return exportExchanged(bench, filter, format, target);
  let count = 0;
  const counted = async function* () {
    for await (const line of episodeLines(bench, filter)) {
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

/** The runs of episodes, as any run is written. */
async function exportExchanged(
  bench: Bench,
  filter: EpisodeFilter,
  format: ExchangeFormat,
  target: string,
): Promise<ExportedEpisodes> {
  const { writeLogs, writeTrajectories } = await import('../../records/export/exchange/write-exchanged.js');
  const { exports } = await bench.database();
  const runIds: string[] = [];
  for await (const { run_id: runId } of exports.episodes(await wantedEpisodes(bench, filter))) runIds.push(runId);
  await (format === 'atif' ? writeTrajectories : writeLogs)(bench, runIds, target);
  return { format, output: target, episodes: runIds.length };
}
