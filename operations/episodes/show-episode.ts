import type { Episodes } from '../../domain/ports/episodes.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrainingReads } from '../../domain/ports/reading/training.js';
import type { ShownEpisode } from '../../domain/views/training.js';

export interface ShowEpisodePorts {
  episodes: Pick<Episodes, 'find'>;
  queries: Pick<RunReads, 'findRun'> & Pick<TrainingReads, 'showEpisode'>;
}

/** By the trainer's id, or the run's id or an unambiguous part of it. */
export async function showEpisode({ episodes, queries }: ShowEpisodePorts, ref: string): Promise<ShownEpisode> {
  const known = await episodes.find(ref);
  return queries.showEpisode(known?.runId ?? (await queries.findRun(ref)).runId);
}
