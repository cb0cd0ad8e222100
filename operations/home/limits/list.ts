import type { RateAccountRow } from '../../../domain/views/rate-accounts.js';
import type { RateControl } from '../../../domain/ports/rate-control.js';

export interface ListLimitsPorts {
  rateControl: Pick<RateControl, 'accounts'>;
}

export const listLimits = ({ rateControl }: ListLimitsPorts): Promise<RateAccountRow[]> => rateControl.accounts();

/** Null: no call to this account yet. */
export const findLimits = async (ports: ListLimitsPorts, account: string): Promise<RateAccountRow | null> =>
  (await listLimits(ports)).find((one) => one.account === account) ?? null;
