import { BenchError } from '../../../domain/errors.js';
import { type AdminPorts, adminUrl } from '../database/admin-url.js';

/**
 * Revokes an invited host: the database refuses it, its worker stops, its runs continue elsewhere.
 * Throws BenchError (not_found) if no host of this name was invited.
 */
export async function revokeHost(ports: AdminPorts, hostId: string): Promise<void> {
  const { revokeHostUsers } = await import('../../../db/host-users.js');
  if ((await revokeHostUsers(await adminUrl(ports), hostId)) > 0) return;
  throw new BenchError('not_found', `no machine was invited as host "${hostId}"`, {
    code: 'host.not_found',
    remedy:
      'A host that was set up by hand shares the password of others: `bench hosts drain` it, then change that password.',
  });
}
