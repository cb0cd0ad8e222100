import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import type { BatchPlan } from './batch-plan.js';
import type { EnginePorts } from './choose-backend.js';
import { hostsIfKnown, type HostsIfKnownPorts } from './hosts-if-known.js';
import { loadGroups, type LoadPorts } from './load-groups.js';
import { planLoaded, type PlanOptions } from './plan-on.js';

export type PlanPorts = LoadPorts & EnginePorts & HostsIfKnownPorts;

/**
 * What a batch of this request would be: its runs, its backend, the skipped tasks. Read-only:
 * nothing is stored, built or started. Throws BenchError for everything that can be wrong with the
 * request.
 */
export async function planBatch(
  ports: PlanPorts,
  input: BatchRequestInput,
  options: PlanOptions = {},
): Promise<BatchPlan> {
  const request = batchRequest(input);
  const groups = loadGroups(ports, request.groups, { needKeys: false });
  const { plan } = await planLoaded(ports, { request, groups, ...options }, () => hostsIfKnown(ports));
  return plan;
}
