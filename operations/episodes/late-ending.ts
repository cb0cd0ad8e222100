import { type EpisodeOutcome, outcomeOf } from '../../domain/episodes/action-outcome.js';
import type { EpisodeRow, Episodes } from '../../domain/ports/episodes.js';

export interface LateEndingPorts {
  episodes: Pick<Episodes, 'progress' | 'stepReward'>;
}

/**
 * The outcome of an episode that a deadline ended between two actions, with the reward beyond that
 * of the last action. null: it has not ended, or an action ended it and has the outcome.
 */
export async function lateEnding({ episodes }: LateEndingPorts, episode: EpisodeRow): Promise<EpisodeOutcome | null> {
  const { runId, seq, nextStep, endReason } = episode;
  if (!episode.ended) return null;
  const progress = seq === 0 ? null : await episodes.progress(runId, seq);
  const last = progress?.settled ?? null;
  if (progress !== null && (last === null || last.endReason !== null)) return null;
  const run = progress?.run ?? { ended: true, endReason, finalEvaluation: null, detail: null, maxSteps: 0 };
  const worth = await episodes.stepReward(runId, seq);
  const evaluations = progress?.evaluations ?? [];
  const evaluated = evaluations.some(({ id, kind }) => kind !== 'validate' && id !== last?.evaluation?.id);
  return outcomeOf(
    { seq, step: nextStep, try: 1, settled: null, next: null, run, record: null, evaluations },
    {
      ...worth,
      given: together(worth.given ?? {}, last?.rewardParts ?? {}),
      ...(evaluated && { again: ['evaluation'] }),
    },
  );
}

function together(some: Record<string, number>, others: Record<string, number>): Record<string, number> {
  const sums = { ...some };
  for (const [part, amount] of Object.entries(others)) sums[part] = (sums[part] ?? 0) + amount;
  return sums;
}
