import type { ShownEpisode } from '../../domain/views/training.js';
import type { Bench } from '../bench.js';

/** An episode with its actions, by the trainer's id, or by its run's or an unambiguous part of that. */
export async function showEpisode(bench: Bench, ref: string): Promise<ShownEpisode> {
  const { queries, episodes } = await bench.database();
  const known = await episodes.find(ref);
  return queries.showEpisode(known?.runId ?? (await queries.findRun(ref)).runId);
}
