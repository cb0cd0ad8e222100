import type { OpenTurn, Turns } from '../../domain/ports/turns.js';
import { findRunOrBatch } from '../results/find-run-or-batch.js';

export type OpenTurnsPorts = Parameters<typeof findRunOrBatch>[0] & { turns: Pick<Turns, 'open'> };

/** Turns of a run or a batch's runs that wait for `answerTurn`. */
export async function openTurns(ports: OpenTurnsPorts, ref: string): Promise<OpenTurn[]> {
  const found = await findRunOrBatch(ports, ref);
  return ports.turns.open(found.kind === 'run' ? { runId: found.run.runId } : { batchId: found.batch.batchId });
}
