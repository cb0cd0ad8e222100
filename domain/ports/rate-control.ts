import type { RateLimits } from '../rate-limits/account-state.js';
import type { RateAccountRow } from '../views/rate-accounts.js';

export interface RateControl {
  accounts(): Promise<RateAccountRow[]>;
  /** Per minute, for all workers; null: unchanged. Throws BenchError (not_found). */
  set(account: string, limits: RateLimits): Promise<void>;
  /** Forget set and learned limits and reservation factors. Throws BenchError (not_found). */
  reset(account: string): Promise<void>;
}
