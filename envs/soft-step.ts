import type { EpisodeRow } from '../domain/ports/episodes.js';
import type { ActionRequest } from '../operations/episodes/act.js';
import type { Play, PlayedStep } from './play.js';

/** An outcome, or a command that goes on, with what it has printed so far. */
export type SoftAnswer =
  { kind: 'done'; seq: number; played: PlayedStep } | { kind: 'running'; seq: number; printed: string };

export interface SoftRequest extends ActionRequest {
  /** Seconds after which a command that still runs is answered with what it has printed; 0: as long as it takes. */
  softSeconds: number;
  signal?: AbortSignal;
}

const FOR_EVER = 86_400;

/** Takes an action and waits for its outcome, but not longer than the client's patience. */
export async function playSoftly(play: Play, episode: EpisodeRow, request: SoftRequest): Promise<SoftAnswer> {
  const { softSeconds, signal, ...action } = request;
  const seq = await play.act(episode, action);
  const played = await play.outcome(episode, seq, softSeconds === 0 ? FOR_EVER : softSeconds, signal);
  return played === null ? { kind: 'running', seq, printed: '' } : { kind: 'done', seq, played };
}
