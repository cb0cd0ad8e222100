import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { Bench } from '../bench.js';
import { withUnreached } from '../home/hosts/unreached.js';
import { blockerOfHome } from './blocker.js';

/** A batch's state, run by run; of the latest where none is named. */
export async function batchStatus(bench: Bench, ref: string | undefined): Promise<BatchStatusReport> {
  const { queries } = await bench.database();
  const report = await queries.batchStatus((await queries.findBatch(ref)).batchId);
  const blockedBy = (await blockerOfHome(bench, report)) ?? report.blockedBy;
  return { ...report, awayHosts: await withUnreached(bench, report.awayHosts, () => true), blockedBy };
}
