import type { EpisodeLine } from '../../../domain/views/training.js';

/**
 * An episode in air-agent's format (keys of its `_save_trajectory`): the whole prompt and
 * completion of each turn, and the scores. `policy_step`: policy version at its reset.
 */
export function airAgentTrajectory(line: EpisodeLine): { name: string; trajectory: Record<string, unknown> } {
  const { task, episode_id: id, policy_version: version, messages, actions, baseline } = line;
  const scores = actions.flatMap(({ score }, at) => (score === null ? [] : [[at + 1, score] as const]));
  const final = scores.at(-1)?.[1] ?? null;
  const timestamp = stamp(line.ended_at ?? line.created_at);
  const trajectory = {
    ...{ task, example_id: id, policy_step: version ?? 0 },
    trajectory: actions.map(({ message, reward }) => ({
      ...{ prompt: messages.slice(0, message), completion: messages.slice(message, message + 1), reward },
    })),
    metrics: {
      ...{ baseline_score: baseline, final_score: final },
      improvement: final === null || baseline === null ? null : final - baseline,
      validation_history: scores,
    },
    info: {
      exit_reason: line.exit_status,
      reward: line.reward,
      gain: line.gain,
      masked: line.masked,
      seed: line.seed,
      group: line.group,
    },
    timestamp,
  };
  // Theirs ends with the time; episodes that end in the same second need more.
  return { name: `${task}_pi${version ?? 0}_${timestamp}_${line.run_id}.json`, trajectory };
}

/** `20260301_120000` */
const stamp = (time: string): string => time.replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
