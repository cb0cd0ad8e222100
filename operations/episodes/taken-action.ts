import type { Episodes, TakenBefore } from '../../domain/ports/episodes.js';

export interface TakenActionPorts {
  episodes: Pick<Episodes, 'taken' | 'delivered' | 'interrupt'>;
}

/** A taken action, and whether its outcome was delivered; null: none has this number. */
export const takenAction = ({ episodes }: TakenActionPorts, runId: string, seq: number): Promise<TakenBefore | null> =>
  episodes.taken(runId, seq);

export const outcomeDelivered = ({ episodes }: TakenActionPorts, runId: string, seq: number): Promise<void> =>
  episodes.delivered(runId, seq);

/** Interrupts the command of an action, if it still runs; its outcome follows. */
export const interruptAction = ({ episodes }: TakenActionPorts, runId: string, seq: number): Promise<void> =>
  episodes.interrupt(runId, seq);
