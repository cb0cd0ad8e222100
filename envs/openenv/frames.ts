import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { BegunEpisode } from '../../operations/episodes/beginning.js';
import type { PlayedStep } from '../play.js';
import { wireReset, wireStep } from '../wire.js';

/** OpenEnv's codes. After the last two the server closes the connection. */
type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'SESSION_ERROR';

/** The policy sees only `observation`. */
export interface Observation {
  observation: Record<string, unknown>;
  reward: number | null;
  done: boolean;
  metadata: Record<string, unknown>;
}

export type Frame =
  | { type: 'observation'; data: Observation }
  | { type: 'state'; data: Record<string, unknown> }
  | { type: 'mcp'; data: object }
  | { type: 'error'; data: { message: string; code: ErrorCode; [more: string]: unknown } };

export type StepAnswer =
  | { kind: 'done'; seq: number; played: PlayedStep; missed?: PlayedStep[] }
  | { kind: 'running'; seq: number; printed: string };

export function begunObservation(begun: BegunEpisode): Observation {
  const { observation, info } = wireReset(begun);
  return shaped(begun.episode, { observation, reward: null, done: false, metadata: { ...info, status: 'ok' } });
}

export function stepObservation(episode: EpisodeRow, answer: StepAnswer): Observation {
  if (answer.kind === 'running') return runningObservation(episode, answer);
  const { observation, reward, terminated, truncated, info } = wireStep(answer.played);
  const done = terminated || truncated || answer.played.outcome.fault !== null;
  const missed = answer.missed?.map((lost) => {
    const { info: lostInfo, ...rest } = wireStep(lost);
    return { ...rest, action_seq: lostInfo['action_seq'] };
  });
  const metadata = { ...info, terminated, truncated, ...(missed !== undefined && { missed }) };
  return shaped(episode, { observation: { ...observation }, reward, done, metadata });
}

/** The tool's result is what the policy sees. */
export function toolObservation(episode: EpisodeRow, tool: string, answer: StepAnswer): Observation {
  const { observation, ...rest } = stepObservation(episode, answer);
  return { ...rest, observation: { tool_name: tool, result: { data: observation['message'] }, error: null } };
}

function runningObservation(episode: EpisodeRow, { seq, printed }: { seq: number; printed: string }): Observation {
  const said = 'The command still runs. `wait` waits for it, `interrupt` stops it.';
  return shaped(episode, {
    observation: { message: printed === '' ? said : `${printed.replace(/\n$/, '')}\n${said}` },
    reward: null,
    done: false,
    metadata: { episode_id: episode.episodeId, action_seq: seq, output: printed, status: 'running' },
  });
}

/** Some clients drop `metadata`: then the policy may see all of it. */
function shaped({ reset }: EpisodeRow, answer: Observation): Observation {
  if (reset.observation !== 'full') return answer;
  return { ...answer, observation: { ...answer.observation, ...answer.metadata } };
}
