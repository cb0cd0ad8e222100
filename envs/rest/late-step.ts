import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { refusal } from '../../operations/episodes/refusal.js';
import type { Play, PlayedStep } from '../play.js';

/**
 * For an action after the episode's deadline: executes nothing; the outcome is that end, however
 * often the number is repeated. Null: it runs, was given up, or its end has been delivered.
 */
export async function lateStep(play: Play, episode: EpisodeRow, seq: number | null): Promise<PlayedStep | null> {
  const { runId, seq: last, endReason } = episode;
  if (endReason === 'cancelled' || (seq !== null && seq !== last + 1)) return null;
  // Without a number every action is a new one; before the first there is nothing to mark.
  if (seq === null && last > 0 && (await play.taken(runId, last))?.delivered === true) return null;
  const ending = await play.lateEnding(episode);
  if (ending === null) return null;
  if (last > 0) await play.delivered(runId, last);
  return { ...ending, outcome: { ...ending.outcome, seq: last + 1 } };
}

/** The same for a refused action. Otherwise throws: after an end, that it has ended. */
export async function afterEnd(play: Play, id: string, seq: number | null, refused: unknown): Promise<PlayedStep> {
  if (!(refused instanceof BenchError) || (refused.code !== 'episode.ended' && refused.code !== 'episode.out_of_order'))
    throw refused;
  const episode = await play.known(id);
  if (!episode.ended) throw refused;
  const late = await lateStep(play, episode, seq);
  if (late === null) throw refusal({ kind: 'ended' }, episode.episodeId) ?? refused;
  return late;
}
