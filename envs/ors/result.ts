import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { PlayedStep } from '../play.js';
import { isDone, wireStep } from '../wire.js';

interface Block {
  type: 'text';
  text: string;
  detail: null;
}

export type CallResult =
  | {
      ok: true;
      output: { blocks: Block[]; metadata: Record<string, unknown>; reward: number | null; finished: boolean };
    }
  | { ok: false; error: string; reason: 'not_found' | 'input_validation' | 'episode_finished' };

export const textBlock = (text: string): Block => ({ type: 'text', text, detail: null });

/** `missed`: the previous outcome, if the client may not have read it. */
export function doneResult(played: PlayedStep, missed: PlayedStep | null): CallResult {
  const { observation, reward, terminated, truncated, info } = wireStep(played);
  const metadata = { ...info, terminated, truncated, ...(missed !== null && { missed: [wireStep(missed)] }) };
  const finished = isDone(played.outcome);
  return {
    ok: true,
    output: { blocks: blocksOf(observation.message, played.outcome.output), metadata, reward, finished },
  };
}

/** The output is its own block, before remarks on it; together they are the message. */
function blocksOf(message: string, output: string | null): Block[] {
  if (output === null || output === '' || output === message || !message.startsWith(output))
    return [textBlock(message)];
  return [textBlock(output), textBlock(message.slice(output.length))];
}

/** Pays nothing; `said` informs the policy. */
export function saidResult(episode: EpisodeRow, said: string, metadata: Record<string, unknown>): CallResult {
  const beside = { episode_id: episode.episodeId, ...metadata };
  return { ok: true, output: { blocks: [textBlock(said)], metadata: beside, reward: null, finished: false } };
}

export function runningResult(episode: EpisodeRow, { seq, printed }: { seq: number; printed: string }): CallResult {
  const said = 'The command still runs. `wait` waits for it, `interrupt` stops it.';
  const text = printed === '' ? said : `${printed.replace(/\n$/, '')}\n${said}`;
  return saidResult(episode, text, { action_seq: seq, output: printed, status: 'running' });
}

export const finishedResult = (episode: EpisodeRow): CallResult => ({
  ok: false,
  error: `The episode has ended: ${episode.endReason ?? 'unknown'}.`,
  reason: 'episode_finished',
});
