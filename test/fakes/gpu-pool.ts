import type { LeaseRequest } from '../../domain/model/messages.js';
import type { GpuHost } from '../../domain/ports/record/leases.js';
import * as pool from '../../workflows/gpu-pool-state.js';

/** The pool's requests and hosts, of which tests name what they care about. */

export const request = (
  state: pool.GpuPoolState,
  wanted: Pick<LeaseRequest, 'runId' | 'gpus'> & Partial<LeaseRequest>,
): void => pool.request(state, { batchId: 'b', priority: 3, backend: 'docker', ...wanted });

export const setHosts = (state: pool.GpuPoolState, hosts: (Omit<GpuHost, 'backends'> & Partial<GpuHost>)[]): void =>
  pool.setHosts(
    state,
    hosts.map((host) => ({ backends: ['docker'], ...host })),
  );
