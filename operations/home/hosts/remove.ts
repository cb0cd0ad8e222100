import type { Bench } from '../../bench.js';

/** Declares a host gone for good: its runs move to other hosts. Throws BenchError (usage) if it is alive. */
export const removeHost = async (bench: Bench, hostId: string): Promise<void> =>
  (await bench.database()).store.removeHost(hostId);
