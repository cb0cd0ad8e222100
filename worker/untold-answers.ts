import type { Client } from '@temporalio/client';
import type { Turns } from '../domain/ports/turns.js';
import { tellAnswered } from '../temporal/tell-answered.js';

/** Younger answers are just being told by whoever gave them. */
const OLD_SECONDS = 5;
/** Temporal keeps what it was told; only one that was restored from a backup forgets it. */
const TELL_AGAIN_MS = 3_600_000;

/**
 * An answer is stored before its run is told, and whoever gave it may die between, or Temporal be away. So runs that have not taken up
 * their answer are told of it: the rows are what is still to be sent. Runs that wait need no timers of their own for that.
 */
export function untoldAnswers(client: Client, turns: Pick<Turns, 'notTakenUp'>): () => Promise<void> {
  let told = new Map<string, number>();
  return async () => {
    const before = told;
    told = new Map();
    for (const turn of await turns.notTakenUp(OLD_SECONDS)) {
      const name = `${turn.runId}/${turn.step}/${turn.try}`;
      const at = before.get(name);
      const due = at === undefined || Date.now() - at > TELL_AGAIN_MS;
      if (due && !(await tellAnswered(client, turn))) continue;
      told.set(name, due ? Date.now() : at);
    }
  };
}
