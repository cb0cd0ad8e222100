import type { OpenTurn } from '../../domain/ports/turns.js';
import { findRunOrBatch } from '../results/find-run-or-batch.js';
import type { Bench } from '../bench.js';

/** The turns of a run, or of a batch's runs, that wait for an answer; `answerTurn` gives it. */
export async function openTurns(bench: Bench, ref: string): Promise<OpenTurn[]> {
  const found = await findRunOrBatch(bench, ref);
  const { turns } = await bench.database();
  return turns.open(found.kind === 'run' ? { runId: found.run.runId } : { batchId: found.batch.batchId });
}
