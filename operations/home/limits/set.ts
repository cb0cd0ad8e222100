import { BenchError } from '../../../domain/errors.js';
import type { RateAccountRow } from '../../../domain/views/rate-accounts.js';
import type { RateControl } from '../../../domain/ports/rate-control.js';
import { findLimits } from './list.js';

/** Limits per minute, over all workers. Absent: unchanged. */
export async function setLimits(
  { rateControl }: { rateControl: Pick<RateControl, 'accounts' | 'set'> },
  account: string,
  { rpm, tpm }: { rpm?: number | undefined; tpm?: number | undefined },
): Promise<RateAccountRow | null> {
  if (rpm === undefined && tpm === undefined)
    throw new BenchError('usage', 'nothing to set', {
      remedy: 'Give requests per minute, tokens per minute, or both.',
      fields: { rpm: true, tpm: true },
    });
  await rateControl.set(account, { requests: rpm ?? null, tokens: tpm ?? null });
  return findLimits({ rateControl }, account);
}
