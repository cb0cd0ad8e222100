import { type EpisodeOutcome, isOver, outcomeOf } from '../../domain/episodes/action-outcome.js';
import type { Episodes } from '../../domain/ports/episodes.js';
import type { ProgressEvents } from '../../domain/ports/progress-events.js';

export interface OutcomePorts {
  episodes: Pick<Episodes, 'progress' | 'stepReward' | 'settle'>;
}

/** The stored outcome of an action; null: it is still running. */
export async function settledOutcome(
  { episodes }: OutcomePorts,
  runId: string,
  seq: number,
): Promise<EpisodeOutcome | null> {
  const progress = await episodes.progress(runId, seq);
  if (progress === null) throw new Error(`run ${runId} has taken no action ${seq}`);
  if (progress.settled !== null) return progress.settled;
  if (!isOver(progress)) return null;
  const outcome = outcomeOf(progress, await episodes.stepReward(runId, seq));
  const next = progress.next === null ? null : { step: progress.next.step, try: progress.next.try };
  return episodes.settle(runId, outcome, next);
}

/** Waits at most this many seconds for the outcome of an action; null: still running. */
export async function waitOutcome(
  ports: OutcomePorts,
  listener: ProgressEvents,
  { runId, seq, seconds, signal }: { runId: string; seq: number; seconds: number; signal?: AbortSignal },
): Promise<EpisodeOutcome | null> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    // Subscribe before reading, so that no notification is missed.
    const news = listener.next(runId);
    try {
      const outcome = await settledOutcome(ports, runId, seq);
      if (outcome !== null) return outcome;
      const left = until - Date.now();
      if (left <= 0 || signal?.aborted === true) return null;
      await news.within(left, signal);
    } finally {
      news.cancel();
    }
  }
}
