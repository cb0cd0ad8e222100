import type { EpisodeOutcome } from '../domain/episodes/action-outcome.js';
import type { BegunEpisode } from '../operations/episodes/beginning.js';
import type { PlayedStep } from './play.js';

/** An outcome in every protocol; the policy sees only the observation. */
export interface WireStep {
  observation: { message: string };
  /** null: no evaluation, or our fault; never zero instead. */
  reward: number | null;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
}

export function wireReset({ episode, task, seed, message, maxSteps, validationsLeft }: BegunEpisode): {
  episode_id: string;
  observation: { message: string };
  info: Record<string, unknown>;
} {
  const { episodeId, runId, seq, nextStep } = episode;
  return {
    episode_id: episodeId,
    observation: { message },
    info: {
      episode_id: episodeId,
      run_id: runId,
      task,
      seed,
      action_seq: seq,
      current_step: nextStep,
      remaining_steps: maxSteps - nextStep + 1,
      ...(validationsLeft !== null && { remaining_validations: validationsLeft }),
    },
  };
}

export function wireStep({ episodeId, task, outcome }: PlayedStep): WireStep {
  const { message, reward, terminated, truncated, evaluation, fault } = outcome;
  return {
    observation: { message },
    reward,
    terminated,
    truncated,
    info: {
      episode_id: episodeId,
      task,
      action_seq: outcome.seq,
      output: outcome.output,
      exit_code: outcome.exitCode,
      timed_out: outcome.timedOut,
      truncated_bytes: outcome.truncatedBytes,
      current_step: outcome.step,
      remaining_steps: outcome.remainingSteps,
      ...(outcome.remainingValidations != null && { remaining_validations: outcome.remainingValidations }),
      evaluation,
      reward_parts: outcome.rewardParts,
      format_error: outcome.formatError,
      exit_status: outcome.exitStatus,
      status: fault === null ? 'ok' : 'errored',
      ...(fault !== null && { fault }),
    },
  };
}

/** No action follows. */
export const isDone = ({ terminated, truncated, fault }: EpisodeOutcome): boolean =>
  terminated || truncated || fault !== null;
