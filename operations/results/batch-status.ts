import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { Bench } from '../bench.js';
import { withUnreached } from '../home/hosts/unreached.js';
import { heldUpByHome } from './held-up.js';

/** A batch's state, run by run; of the latest where none is named. */
export async function batchStatus(bench: Bench, ref: string | undefined): Promise<BatchStatusReport> {
  const { queries } = await bench.database();
  const report = await queries.batchStatus((await queries.findBatch(ref)).batchId);
  const heldUp = (await heldUpByHome(bench, report)) ?? report.heldUp;
  return { ...report, awayHosts: await withUnreached(bench, report.awayHosts, () => true), heldUp };
}
