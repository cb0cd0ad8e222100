import type { Bench } from '../../bench.js';

/** Stops placing new runs on a host; running ones continue. `drained` false: it takes runs again. */
export const drainHost = async (bench: Bench, hostId: string, drained: boolean): Promise<void> =>
  (await bench.database()).store.drainHost(hostId, drained);
