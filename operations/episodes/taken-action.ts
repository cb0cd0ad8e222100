import type { Episodes, TakenBefore } from '../../domain/ports/episodes.js';

export interface TakenActionPorts {
  episodes: Pick<Episodes, 'taken' | 'delivered' | 'interrupt'>;
}

/** An action as it was taken, and whether its outcome was delivered; null: none has this number. */
export const takenAction = ({ episodes }: TakenActionPorts, runId: string, seq: number): Promise<TakenBefore | null> =>
  episodes.taken(runId, seq);

/** The client has read the outcome of this action. */
export const outcomeDelivered = ({ episodes }: TakenActionPorts, runId: string, seq: number): Promise<void> =>
  episodes.delivered(runId, seq);

/** Interrupts the command of an action, if it still runs: its outcome follows. */
export const interruptAction = ({ episodes }: TakenActionPorts, runId: string, seq: number): Promise<void> =>
  episodes.interrupt(runId, seq);
