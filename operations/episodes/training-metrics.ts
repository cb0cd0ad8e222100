import type { MetricFamily } from '../../domain/metrics/prometheus.js';
import type { TrainingReads } from '../../domain/ports/reading/training.js';
import { trainingFamilies } from '../../domain/metrics/training-families.js';
import type { GroupMetrics, PolicyMetrics } from '../../domain/views/training.js';

/** Figures by policy version, oldest first. */
export const policyMetrics = (
  { queries }: { queries: Pick<TrainingReads, 'policyMetrics'> },
  batchId: string,
): Promise<PolicyMetrics[]> => queries.policyMetrics(batchId);

/** Groups of episodes that are compared with each other, by policy version. */
export const groupMetrics = (
  { queries }: { queries: Pick<TrainingReads, 'groupMetrics'> },
  batchId: string,
): Promise<GroupMetrics[]> => queries.groupMetrics(batchId);

/** Both, with the states of its episodes, for Prometheus. */
export async function trainingMetrics(
  { queries }: { queries: Pick<TrainingReads, 'policyMetrics' | 'episodeStates'> },
  batchId: string,
): Promise<MetricFamily[]> {
  const [policies, states] = await Promise.all([queries.policyMetrics(batchId), queries.episodeStates(batchId)]);
  return trainingFamilies(policies, states);
}
