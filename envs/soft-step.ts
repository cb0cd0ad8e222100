import { z } from 'zod';
import type { EpisodeRow } from '../domain/ports/episodes.js';
import type { ActionRequest } from '../operations/episodes/act.js';
import type { Play, PlayedStep } from './play.js';

export type SoftAnswer =
  | { kind: 'done'; seq: number; played: PlayedStep }
  | { kind: 'running'; seq: number; printed: string };

export interface SoftRequest extends ActionRequest {
  /** When a running command is answered with its output so far; 0: never. */
  softSeconds: number;
  signal?: AbortSignal;
}

const FOR_EVER = 86_400;

const controlSchema = z.object({ command: z.enum(['wait', 'interrupt']) });

/**
 * Waits for an outcome within the client's patience. While a command runs, `wait` and `interrupt`
 * are about it, and no steps; at other times they are commands.
 */
export async function playSoftly(play: Play, episode: EpisodeRow, request: SoftRequest): Promise<SoftAnswer> {
  const { softSeconds, signal, ...action } = request;
  const seq = (await controlled(play, episode, request.action)) ?? (await play.act(episode, action));
  const played = await play.outcome(episode, seq, softSeconds === 0 ? FOR_EVER : softSeconds, signal);
  return played === null ? stillRuns(play, episode, seq) : { kind: 'done', seq, played };
}

export async function stillRuns(
  play: Play,
  { runId }: EpisodeRow,
  seq: number,
): Promise<Extract<SoftAnswer, { kind: 'running' }>> {
  return { kind: 'running', seq, printed: (await play.taken(runId, seq))?.printed ?? '' };
}

/** The running action that this one waits for or interrupts; null: it is its own action. */
async function controlled(play: Play, { runId, seq }: EpisodeRow, action: unknown): Promise<number | null> {
  const control = controlSchema.safeParse(action);
  if (!control.success || seq === 0 || (await play.taken(runId, seq))?.settled !== false) return null;
  if (control.data.command === 'interrupt') await play.interrupt(runId, seq);
  return seq;
}
