import type { RateAccountRow } from '../../../domain/views/rate-accounts.js';
import type { RateControl } from '../../../domain/ports/rate-control.js';
import { findLimits } from './list.js';

/** Forgets the limits set for an account and those learned from refusals. */
export async function resetLimits(
  { rateControl }: { rateControl: Pick<RateControl, 'accounts' | 'reset'> },
  account: string,
): Promise<RateAccountRow | null> {
  await rateControl.reset(account);
  return findLimits({ rateControl }, account);
}
