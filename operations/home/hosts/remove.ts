import type { HostRegistry } from '../../../domain/ports/record/hosts.js';

/** Declares a host gone for good: its runs move to other hosts. Throws BenchError (usage) if it is alive. */
export const removeHost = ({ store }: { store: Pick<HostRegistry, 'removeHost'> }, hostId: string): Promise<void> =>
  store.removeHost(hostId);
