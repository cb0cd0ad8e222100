import type { LeaseRequest } from '../../domain/model/messages.js';
import type { GpuHost } from '../../domain/ports/record/leases.js';
import * as pool from '../../workflows/gpu-pool-state.js';

/** Requests and hosts of the pool; tests set only the fields that matter. */

export const request = (
  state: pool.GpuPoolState,
  wanted: Pick<LeaseRequest, 'runId' | 'gpus'> & Partial<LeaseRequest>,
): void => pool.request(state, { batchId: 'b', priority: 3, backend: 'docker', ...wanted });

export const setHosts = (state: pool.GpuPoolState, hosts: (Omit<GpuHost, 'backends'> & Partial<GpuHost>)[]): void =>
  pool.setHosts(
    state,
    hosts.map((host) => ({ backends: ['docker'], ...host })),
  );
