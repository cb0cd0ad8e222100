import type { Bench } from '../../bench.js';

/** Says that a host is gone for good: its runs go on elsewhere. BenchError (usage): it is alive. */
export const removeHost = async (bench: Bench, hostId: string): Promise<void> =>
  (await bench.database()).store.removeHost(hostId);
