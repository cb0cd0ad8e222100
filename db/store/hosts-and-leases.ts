import type { RunStore } from '../../domain/ports/run-store.js';
import type { Statements } from '../statements.js';

/** Machines and who holds their GPUs. */
export function hostStore(run: Statements): Pick<RunStore, 'registerHost' | 'recordLease' | 'releaseLease'> {
  return {
    async registerHost({ hostId, hostname, cpus, memoryMb, gpus, backends }) {
      await run(
        'registerHost',
        `insert into hosts (host_id, hostname, cpus, memory_mb, gpus, backends)
         values ($1, $2, $3, $4, $5::jsonb, $6::jsonb)
         on conflict (host_id) do update set
           hostname = excluded.hostname, cpus = excluded.cpus, memory_mb = excluded.memory_mb, gpus = excluded.gpus,
           backends = excluded.backends, seen_at = now()`,
        [hostId, hostname, cpus, memoryMb, JSON.stringify(gpus), JSON.stringify(backends)],
      );
    },

    async recordLease({ runId, token, hostId, devices }) {
      await run(
        'recordLease',
        `with host as (
           insert into hosts (host_id) values ($3) on conflict do nothing
         )
         insert into leases (run_id, token, host_id, device)
         select $1, $2, $3, device from unnest($4::text[]) as device
         on conflict (run_id, token, device) do nothing`,
        [runId, token, hostId, devices],
      );
    },

    async releaseLease(runId, token) {
      await run(
        'releaseLease',
        'update leases set released_at = now() where run_id = $1 and token = $2 and released_at is null',
        [runId, token],
      );
    },
  };
}
