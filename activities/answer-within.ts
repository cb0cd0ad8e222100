import type { TurnKey } from '../domain/ports/player.js';
import type { ProgressEvents } from '../domain/ports/progress-events.js';
import type { Turns } from '../domain/ports/turns.js';

/** Meanwhile the sender need not signal the workflow. False: no answer yet. */
export async function answerWithin(
  { turns, answers }: { turns: Pick<Turns, 'listen' | 'stopListening'>; answers: Pick<ProgressEvents, 'next'> },
  turn: TurnKey,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const until = Date.now() + ms;
  for (;;) {
    const news = answers.next(turn.runId);
    try {
      const leftMs = until - Date.now();
      if (signal.aborted || leftMs <= 0) return !(await turns.stopListening(turn));
      if (!(await turns.listen(turn, leftMs))) return true;
      await news.within(leftMs, signal);
    } finally {
      news.cancel();
    }
  }
}
