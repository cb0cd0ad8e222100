import type { Client } from '@temporalio/client';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import { withUnreached } from '../home/hosts/unreached.js';
import { blockerOfHome, type BlockerSettings } from './blocker.js';

export type BatchStatusPorts = BlockerSettings & { queries: BatchReads; temporal(): Promise<Client> };

/** By default of the latest batch. */
export async function batchStatus(ports: BatchStatusPorts, ref: string | undefined): Promise<BatchStatusReport> {
  const { queries } = ports;
  const report = await queries.batchStatus((await queries.findBatch(ref)).batchId);
  const blockedBy = (await blockerOfHome(ports, report)) ?? report.blockedBy;
  return { ...report, unreachableHosts: await withUnreached(ports, report.unreachableHosts, () => true), blockedBy };
}
