import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { Play } from '../play.js';
import { playSoftly, type SoftAnswer, stillRuns, type SoftRequest } from '../soft-step.js';
import { isDone } from '../wire.js';
import { isObject } from '../tools.js';
import type { SentStep } from './action.js';
import type { StepAnswer } from './frames.js';

/** A first reset or step may repeat one whose answer was lost. `request`: so may any over HTTP. */
export type First = boolean | 'request';

interface Patience {
  first: First;
  softSeconds: number;
  /** A trainer's numbers: a repeated one is a retry, whether its answer was read or not. */
  trusted: boolean;
  /** The connection's numbers so far: one out of order is an error. */
  numbers: boolean;
  signal?: AbortSignal;
}

const hasCode = (error: unknown, code: string): boolean => error instanceof BenchError && error.code === code;

/** Controls a running action; not a step. */
const isControl = (action: unknown): boolean =>
  isObject(action) && (action['command'] === 'wait' || action['command'] === 'interrupt');

/**
 * A model may have written the number: out of order, it makes a malformed action, and a read
 * outcome is not paid again. Throws BenchError (conflict) for a trainer's number out of order, or
 * after a read end.
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
 * A first step that repeats a lost one gets its answer, as does any over HTTP; another action
 * follows it, and its answer contains the missed outcome.
 */
async function takeTrusted(play: Play, episode: EpisodeRow, sent: SentStep, patience: Patience): Promise<StepAnswer> {
  const { runId, seq: last } = episode;
  const unread = patience.first !== false && last > 0 && (await play.taken(runId, last))?.delivered === false;
  if (!unread || sent.seq === last) return next(play, episode, sent, patience);
  const known = await play.outcome(episode, last, 0);
  // Waits for or interrupts what still runs, as on any connection.
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
    // A model's action while its command runs is no error.
    if (hasCode(error, 'episode.busy')) return stillRuns(play, episode, episode.seq);
    if (!hasCode(error, 'episode.ended')) throw error;
    // It ended between actions, by its deadline: no fault of this action.
    const known = await play.known(episode.runId);
    const { runId, seq } = known;
    const ending = await play.lateEnding(known);
    if (ending !== null) return { kind: 'done', seq, played: ending };
    // Or by its last action, whose outcome the client has not seen.
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

/** Null: another action has this number. */
async function unlessOther<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, 'episode.action_conflict')) return null;
    throw error;
  }
}
