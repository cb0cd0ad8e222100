import type { MetricFamily } from '../../domain/metrics.js';
import { trainingFamilies } from '../../domain/training-families.js';
import type { GroupMetrics, PolicyMetrics } from '../../domain/views/training.js';
import type { Bench } from '../bench.js';

/** Figures of a training batch by policy version, the oldest first. */
export const policyMetrics = async (bench: Bench, batchId: string): Promise<PolicyMetrics[]> =>
  (await bench.database()).queries.policyMetrics(batchId);

/** Groups of episodes that are compared with each other, by policy version. */
export const groupMetrics = async (bench: Bench, batchId: string): Promise<GroupMetrics[]> =>
  (await bench.database()).queries.groupMetrics(batchId);

/** The same and the states of its episodes, for Prometheus. */
export async function trainingMetrics(bench: Bench, batchId: string): Promise<MetricFamily[]> {
  const { queries } = await bench.database();
  const [policies, states] = await Promise.all([queries.policyMetrics(batchId), queries.episodeStates(batchId)]);
  return trainingFamilies(policies, states);
}
