import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { Play } from '../play.js';
import { playSoftly, type SoftAnswer, stillRuns, type SoftRequest } from '../soft-step.js';
import { isDone } from '../wire.js';
import { isObject } from '../tools.js';
import type { SentStep } from './action.js';
import type { StepAnswer } from './frames.js';

/**
 * The first reset or step on its connection: it may be one whose answer was lost. `request`: so may any over HTTP, but its client knows
 * what still runs, and does not wait for that with another action.
 */
export type First = boolean | 'request';

interface Patience {
  first: First;
  softSeconds: number;
  /** Numbers are the trainer's: a repeated one is a retry, whether its answer was read or not. */
  trusted: boolean;
  /** Those of the connection have been so far: one that does not follow is an error. */
  numbers: boolean;
  signal?: AbortSignal;
}

const hasCode = (error: unknown, code: string): boolean => error instanceof BenchError && error.code === code;

/** Of an action that still runs: no step of their own. */
const isControl = (action: unknown): boolean =>
  isObject(action) && (action['command'] === 'wait' || action['command'] === 'interrupt');

/**
 * Takes a client's step, in which a model may have written a number: one that does not follow makes it a malformed action then, and what was
 * read is not paid again. Throws BenchError (conflict) for a trainer's number that does not follow, or after an end whose answer was read.
 */
export async function takeStep(
  play: Play,
  episode: EpisodeRow,
  sent: SentStep,
  patience: Patience,
): Promise<StepAnswer> {
  const { action, seq } = sent;
  if (patience.trusted || seq === null) return takeTrusted(play, episode, sent, patience);
  const read = seq <= episode.seq && (await play.taken(episode.runId, seq))?.delivered === true;
  try {
    const answer = await takeTrusted(play, episode, sent, patience);
    return read ? unpaid(answer) : answer;
  } catch (error) {
    if (patience.numbers || !(hasCode(error, 'episode.out_of_order') || hasCode(error, 'episode.action_conflict')))
      throw error;
    const written = { ...(isObject(action) ? action : { action }), action_seq: seq };
    return takeTrusted(play, episode, { ...sent, action: written, seq: null }, patience);
  }
}

function unpaid(answer: StepAnswer): StepAnswer {
  if (answer.kind === 'running') return answer;
  const { played } = answer;
  return { ...answer, played: { ...played, outcome: { ...played.outcome, reward: null, rewardParts: {} } } };
}

/**
 * A connection's first step may repeat one whose answer was lost with the connection before, as may any over HTTP: it gets that answer.
 * Any other action is executed after it, and its answer has the missed outcome, too.
 */
async function takeTrusted(play: Play, episode: EpisodeRow, sent: SentStep, patience: Patience): Promise<StepAnswer> {
  const { runId, seq: last } = episode;
  const unread = patience.first !== false && last > 0 && (await play.taken(runId, last))?.delivered === false;
  if (!unread || sent.seq === last) return next(play, episode, sent, patience);
  const known = await play.outcome(episode, last, 0);
  // What still runs is waited for or interrupted as on any connection.
  if (isControl(sent.action) && known === null) return next(play, episode, sent, patience);
  if (isControl(sent.action) && known !== null) return { kind: 'done', seq: last, played: known };
  if (sent.seq === null) {
    const repeated = await unlessOther(() => ask(play, episode, { ...sent, seq: last }, patience));
    if (repeated !== null) return repeated;
  }
  const { signal, softSeconds } = patience;
  const seconds = patience.first === 'request' ? 0 : softSeconds === 0 ? 86_400 : softSeconds;
  const lost = known ?? (await play.outcome(episode, last, seconds, signal));
  if (lost === null) return stillRuns(play, episode, last);
  if (isDone(lost.outcome)) return { kind: 'done', seq: last, played: lost };
  const answer = await next(play, await play.known(runId), sent, patience);
  return answer.kind === 'done' ? { ...answer, missed: [lost] } : answer;
}

async function next(play: Play, episode: EpisodeRow, sent: SentStep, patience: Patience): Promise<StepAnswer> {
  try {
    return await ask(play, episode, sent, patience);
  } catch (error) {
    // What a model does while its command runs is no error.
    if (hasCode(error, 'episode.busy')) return stillRuns(play, episode, episode.seq);
    if (!hasCode(error, 'episode.ended')) throw error;
    // It ended while nothing ran, by its deadline: that is no fault of whoever acts now.
    const known = await play.known(episode.runId);
    const { runId, seq } = known;
    const ending = await play.lateEnding(known);
    if (ending !== null) return { kind: 'done', seq, played: ending };
    // Or by its last action, of which its client knows no more than that it runs.
    const last = (await play.taken(runId, seq))?.delivered === false ? await play.outcome(known, seq, 0) : null;
    if (last === null) throw error;
    return { kind: 'done', seq, played: last };
  }
}

function ask(play: Play, episode: EpisodeRow, sent: SentStep, { softSeconds, signal }: Patience): Promise<SoftAnswer> {
  const { action, seq, policyVersion } = sent;
  const request: SoftRequest = { action, seq, policyVersion, softSeconds, ...(signal !== undefined && { signal }) };
  return playSoftly(play, episode, request);
}

/** null: another action has this number. */
async function unlessOther<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, 'episode.action_conflict')) return null;
    throw error;
  }
}
