import { isDeepStrictEqual } from 'node:util';
import { BenchError } from '../../domain/errors.js';
import { storable } from '../../domain/text/storable.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { Play, PlayedStep } from '../play.js';
import { playSoftly, type SoftAnswer, stillRuns } from '../soft-step.js';
import { type CallResult, doneResult, finishedResult, runningResult, saidResult } from './result.js';

const FOR_EVER = 86_400;

export interface Answer {
  result: CallResult;
  /** Actions whose outcomes it contains: they are read with it. */
  read: number[];
}

export interface CallContext {
  play: Play;
  episode: EpisodeRow;
  signal: AbortSignal;
  /** Sends the number to resume by, before anything is executed. */
  announce: (seq: number) => Promise<void>;
}

/** Our fault ended the episode: no reward. */
export class EpisodeFault extends Error {}

/**
 * `asked`: the number to resume by, from a broken stream; null: none. A repeated call, by number or
 * as the last one with an unread answer, is the one taken before; a concurrent one follows it.
 * Throws EpisodeFault, and BenchError for services that stay away.
 */
export async function playAction(
  context: CallContext,
  action: { command: string },
  asked: number | null,
): Promise<Answer> {
  const { play, signal, announce } = context;
  let { episode } = context;
  for (let seq = asked; ; seq = null) {
    seq ??= await numberOf(play, episode, action);
    await announce(seq);
    try {
      const softSeconds = episode.reset.soft_step_s ?? 0;
      return await answerOf(play, episode, await playSoftly(play, episode, { action, seq, softSeconds, signal }));
    } catch (error) {
      if (hasCode(error, 'episode.ended')) return afterEnd(play, await play.known(episode.runId));
      if (!['episode.busy', 'episode.action_conflict', 'episode.out_of_order'].some((code) => hasCode(error, code)))
        throw error;
    }
    episode = await play.known(episode.runId);
    const softSeconds = episode.reset.soft_step_s ?? 0;
    const before = await play.outcome(episode, episode.seq, softSeconds === 0 ? FOR_EVER : softSeconds, signal);
    if (before === null) return { result: notExecuted(episode), read: [] };
  }
}

/** Waits for the running command, or interrupts it: not an action. */
export async function playControl(context: CallContext, command: 'wait' | 'interrupt'): Promise<Answer> {
  const { play, episode, signal } = context;
  const { runId, seq } = episode;
  const last = seq === 0 ? null : await play.taken(runId, seq);
  if (last === null || last.delivered) {
    if (episode.ended) return afterEnd(play, episode);
    return { result: saidResult(episode, 'No command runs.', { action_seq: seq, status: 'ok' }), read: [] };
  }
  const patience = episode.reset.soft_step_s ?? 0;
  if (last.settled || command === 'wait') {
    const played = await play.outcome(episode, seq, patience === 0 ? FOR_EVER : patience, signal);
    const answer: SoftAnswer = played === null ? await stillRuns(play, episode, seq) : { kind: 'done', seq, played };
    return answerOf(play, episode, answer);
  }
  const asked = { action: { command }, seq: null, softSeconds: patience, signal };
  return answerOf(play, episode, await playSoftly(play, episode, asked));
}

/** Repeats the last action if it is equal and its answer unread; else the next number. */
async function numberOf(play: Play, { runId, seq }: EpisodeRow, action: { command: string }): Promise<number> {
  const last = seq === 0 ? null : await play.taken(runId, seq);
  const stored = { command: storable(action.command) };
  const same = last !== null && !last.delivered && isDeepStrictEqual({ ...last.action }, stored);
  return same ? seq : seq + 1;
}

async function answerOf(play: Play, episode: EpisodeRow, answer: SoftAnswer): Promise<Answer> {
  if (answer.kind === 'running') return { result: runningResult(episode, answer), read: [] };
  const { seq, played } = answer;
  refuseFault(episode, played);
  const before = seq === 1 ? null : await play.taken(episode.runId, seq - 1);
  const unread = before !== null && !before.delivered;
  const missed = unread ? await play.outcome(episode, seq - 1, 0) : null;
  return { result: doneResult(played, missed), read: unread ? [seq - 1, seq] : [seq] };
}

/** It ended between actions, by its deadline: the outcome of any further call. */
async function afterEnd(play: Play, episode: EpisodeRow): Promise<Answer> {
  const ending = await play.lateEnding(episode);
  if (ending === null) return { result: finishedResult(episode), read: [] };
  refuseFault(episode, ending);
  return { result: doneResult(ending, null), read: [] };
}

function refuseFault({ reset, episodeId }: EpisodeRow, { outcome: { fault } }: PlayedStep): void {
  if (fault === null || reset.on_fault === 'null') return;
  const detail = fault.detail === null ? '' : `: ${fault.detail}`;
  throw new EpisodeFault(`episode ${episodeId} failed by ${fault.reason}${detail}. Leave it out of the training.`);
}

const notExecuted = (episode: EpisodeRow): CallResult =>
  saidResult(
    episode,
    'An earlier command still runs: this one was not executed. `wait` waits for that one, `interrupt` stops it.',
    { action_seq: episode.seq, status: 'running' },
  );

const hasCode = (error: unknown, code: string): boolean => error instanceof BenchError && error.code === code;
