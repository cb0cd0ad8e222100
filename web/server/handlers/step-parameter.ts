import { BenchError } from '../../../domain/errors.js';

/** BenchError (usage): not a whole number. */
export function stepOf({ params }: { params: { readonly step: string } }): number {
  if (/^\d{1,9}$/.test(params.step)) return Number(params.step);
  throw new BenchError('usage', 'step must be a whole number', { code: 'request.invalid' });
}
