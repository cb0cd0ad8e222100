import type { Client } from '@temporalio/client';
import type { Turns } from '../domain/ports/turns.js';
import { notifyAnswered } from '../temporal/notify-answered.js';

/** Younger answers are still being signalled by their sender. */
const OLD_SECONDS = 5;
/** Signal each answer once: Temporal keeps signals, unless it was restored from a backup. */
const SIGNAL_AGAIN_MS = 3_600_000;

/**
 * An answer is stored before its signal, which is lost if the sender dies or Temporal is down.
 * Signals runs again that have not taken their answer, so waiting runs need no timers.
 */
export function signalAnswers(client: Client, turns: Pick<Turns, 'notTakenUp'>): () => Promise<void> {
  let signalled = new Map<string, number>();
  return async () => {
    const before = signalled;
    signalled = new Map();
    for (const turn of await turns.notTakenUp(OLD_SECONDS)) {
      const name = `${turn.runId}/${turn.step}/${turn.try}`;
      const at = before.get(name);
      const due = at === undefined || Date.now() - at > SIGNAL_AGAIN_MS;
      if (due && !(await notifyAnswered(client, turn))) continue;
      signalled.set(name, due ? Date.now() : at);
    }
  };
}
