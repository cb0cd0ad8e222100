import type { RateLimits } from '../rate-limits/account-state.js';
import type { RateAccountRow } from '../views/rate-accounts.js';

/** Rate limits of accounts, as people see and set them. */
export interface RateControl {
  accounts(): Promise<RateAccountRow[]>;
  /** Per minute, for all workers; null: leave as it is. Throws BenchError (not_found). */
  set(account: string, limits: RateLimits): Promise<void>;
  /** Forget what was set and learned, including reservation factors. Throws BenchError (not_found). */
  reset(account: string): Promise<void>;
}
