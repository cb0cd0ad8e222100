import { BenchError } from '../../../domain/errors.js';
import type { Call } from '../call.js';

/** The `:step` of a path. BenchError (usage): no whole number. */
export function stepOf({ params }: Pick<Call, 'params'>): number {
  const text = params['step'] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new BenchError('usage', 'step must be a whole number', { code: 'request.invalid' });
}
