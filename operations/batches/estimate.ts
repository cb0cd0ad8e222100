import { usdText, usdUnits } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { FIRST_ATTEMPTS } from '../../domain/statistics/settle-order.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { BatchEstimate } from '../../domain/views/submissions.js';
import { mostOfRun } from './most-of-run.js';

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const nodesAtOnce = ({ agent }: RunDefinition): number => agent.search?.parallel ?? 1;

/** Of a pair that begins with FIRST_ATTEMPTS. */
const mostAttempts = ({ task }: RunDefinition, allocation: Allocation | null | undefined): number =>
  allocation == null || task.target === undefined ? FIRST_ATTEMPTS : allocation.maxAttempts;

/** Upper bounds from limits and reservations; the runs of the batch in any order. */
export function estimateBatch(
  runs: readonly RunDefinition[],
  batch: { concurrency: number; budgetUsd: string | null; allocation?: Allocation | null },
  now: Date,
): BatchEstimate {
  const unpriced = new Set<string>();
  let cost = 0n;
  for (const run of runs) {
    const { costUsd } = mostOfRun(run, now);
    if (costUsd === null) unpriced.add(run.model.name);
    else cost += (usdUnits(costUsd) * BigInt(mostAttempts(run, batch.allocation))) / BigInt(FIRST_ATTEMPTS);
  }
  if (batch.budgetUsd !== null) cost = min(cost, usdUnits(batch.budgetUsd));
  const gpus = runs.map((run) => run.gpus).sort((a, b) => b - a);
  const peakGpus = runs.map((run) => run.gpus * nodesAtOnce(run)).sort((a, b) => b - a);
  const atOnce = Math.min(batch.concurrency, runs.length);
  const memory = runs.map((run) => run.task.limits.memoryMb * nodesAtOnce(run)).sort((a, b) => b - a);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  return {
    runs: runs.length,
    gpus: { min: gpus.at(-1) ?? 0, max: gpus[0] ?? 0 },
    peakGpus: sum(peakGpus.slice(0, atOnce)),
    peakMemoryMb: sum(memory.slice(0, atOnce)),
    maxCostUsd: unpriced.size > 0 ? null : usdText(cost),
    unpricedModels: [...unpriced].sort(),
  };
}
