import type { HostRegistry } from '../../../domain/ports/record/hosts.js';

/** Stops placing new runs on a host; running ones continue. `drained` false: undo. */
export const drainHost = (
  { store }: { store: Pick<HostRegistry, 'drainHost'> },
  hostId: string,
  drained: boolean,
): Promise<void> => store.drainHost(hostId, drained);
