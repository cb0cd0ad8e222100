import type { HostRegistry } from '../../../domain/ports/record/hosts.js';

/** The host does not return: its runs move. Throws BenchError (usage) if it is alive. */
export const removeHost = ({ store }: { store: Pick<HostRegistry, 'removeHost'> }, hostId: string): Promise<void> =>
  store.removeHost(hostId);
