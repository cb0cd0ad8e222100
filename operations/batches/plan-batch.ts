import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import type { BatchPlan } from './batch-plan.js';
import type { EnginePorts } from './choose-backend.js';
import { hostsIfKnown, type HostsIfKnownPorts } from './hosts-if-known.js';
import { loadGroups, type LoadPorts } from './load-groups.js';
import { planLoaded, type PlanOptions } from './plan-on.js';

export type PlanPorts = LoadPorts & EnginePorts & HostsIfKnownPorts;

/**
 * The runs, backend and skipped tasks of this request. Read-only: stores, builds and starts
 * nothing. Throws BenchError for every mistake in the request.
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
