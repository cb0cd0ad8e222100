import type { Bench } from '../../bench.js';

/** Gives a host nothing new; what runs there goes on. `drained` false: it takes runs again. */
export const drainHost = async (bench: Bench, hostId: string, drained: boolean): Promise<void> =>
  (await bench.database()).store.drainHost(hostId, drained);
