import type { RateAccountRow } from '../../../domain/views/rate-accounts.js';
import type { Bench } from '../../bench.js';
import { findLimits } from './list.js';

/** Forgets what was set for an account and learned from refusals. */
export async function resetLimits(bench: Bench, account: string): Promise<RateAccountRow | null> {
  const { rateControl } = await bench.database();
  await rateControl.reset(account);
  return findLimits(bench, account);
}
