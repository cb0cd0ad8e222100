import { oracle } from './reward-oracle.js';
import { BASELINE, type MadeAction, type MadeEpisode, overAt, rewardOf } from './training-episodes.js';

/** Figures of training from what episodes were made of, with nothing of the SQL. */

export interface Figures {
  reward: number | null;
  gain: number | null;
  errored: boolean;
  abandoned: boolean;
  masked: boolean;
  terminated: boolean;
  truncation: string | null;
  formatErrors: number;
}

const AGENTS_ENDS = ['submit', 'max_steps', 'forfeit', 'format', 'wall_time'];

export function figuresOf(episode: MadeEpisode): Figures {
  const { actions, end } = episode;
  const steps = Array.from({ length: actions.at(-1)?.step ?? 0 }, (_, at) => {
    const here = actions.filter(({ step }) => step === at + 1);
    return {
      failed: here.some(({ failed }) => failed),
      unusedReplies: here.filter(({ malformed }) => malformed).length,
    };
  });
  const evaluations = actions.flatMap(({ step, validated }) =>
    validated === null ? [] : [{ step, score: validated.score }],
  );
  const paid = oracle({ direction: 'maximize', baseline: BASELINE, steps, evaluations, end }, rewardOf(episode));
  const broken = evaluations.map(({ score }) => score === 'evaluator_error');
  const unmeasured = rewardOf(episode).mode === 'best' ? broken.includes(true) : broken.at(-1) === true;
  const faulty = end !== null && (!AGENTS_ENDS.includes(end) || unmeasured);
  const abandoned = end === 'cancelled';
  const terminated = !faulty && (end === 'submit' || end === 'forfeit');
  return {
    reward: paid.whole,
    gain: paid.steps.reduce<number | null>((last, { gain }) => gain ?? last, null),
    errored: faulty && !abandoned,
    abandoned,
    masked: end !== null && paid.whole === null,
    terminated,
    truncation: end !== null && !faulty && !terminated ? end : null,
    formatErrors: actions.filter(({ malformed }) => malformed).length,
  };
}

export const versionOf = ({ actions, resetVersion }: MadeEpisode): number | null =>
  actions[0]?.policyVersion ?? resetVersion;

export const mean = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
};
export const spread = (values: readonly number[]): number | null => {
  const middle = mean(values);
  return middle === null ? null : Math.sqrt(mean(values.map((value) => (value - middle) ** 2))!);
};

/** Episodes that are compared with each other, of those that one policy began. */
export function groupsOf(episodes: readonly MadeEpisode[]): MadeEpisode[][] {
  const groups = new Map<string, MadeEpisode[]>();
  for (const episode of episodes) {
    const key = JSON.stringify([
      versionOf(episode),
      episode.task,
      episode.group,
      episode.group === null ? episode.seed : null,
    ]);
    groups.set(key, [...(groups.get(key) ?? []), episode]);
  }
  return [...groups.values()];
}

/** Null: fewer than two rewards. */
export function zeroSpread(group: readonly MadeEpisode[]): boolean | null {
  const rewards = group.flatMap((one) => figuresOf(one).reward ?? []);
  return rewards.length < 2 ? null : rewards.every((reward) => reward === rewards[0]);
}

const takenAt = (episode: MadeEpisode): { action: MadeAction; at: number }[] => {
  let shown = episode.createdAt;
  return episode.actions.map((action) => {
    const at = shown + action.think;
    shown = overAt({ ...episode, createdAt: shown, actions: [action] });
    return { action, at };
  });
};

/** The latest version that anybody had stated when the episode ended; of an open one: until now. */
export function currentAt(episode: MadeEpisode, all: readonly MadeEpisode[]): number | null {
  const until = episode.end === null ? Infinity : overAt(episode);
  const stated = all.flatMap((one) => [
    { at: one.createdAt, version: versionOf(one) },
    ...takenAt(one).map(({ action, at }) => ({ at, version: action.policyVersion })),
  ]);
  const known = stated.flatMap(({ at, version }) => (at <= until && version !== null ? [version] : []));
  return known.length === 0 ? null : Math.max(...known);
}
