import type { RateAccountRow } from '../../../domain/views/rate-accounts.js';
import type { Bench } from '../../bench.js';

/** The accounts at providers, and the rates at which calls are granted. */
export const listLimits = async (bench: Bench): Promise<RateAccountRow[]> =>
  (await bench.database()).rateControl.accounts();

/** One of them; null: no call went there yet. */
export const findLimits = async (bench: Bench, account: string): Promise<RateAccountRow | null> =>
  (await listLimits(bench)).find((one) => one.account === account) ?? null;
