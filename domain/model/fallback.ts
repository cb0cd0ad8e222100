import { REFUSALS } from '../run/outcomes.js';
import type { ModelRef } from './model.js';

/** The model that answers what this one refuses; null: none. Its own fallback does not count. */
export function fallbackOf(model: Pick<ModelRef, 'config'> | undefined): ModelRef | null {
  const fallback = model?.config?.fallback;
  if (fallback === undefined || typeof fallback === 'string') return null;
  const { name, config: own } = fallback;
  return { name, kind: 'real', provider: own.provider, model: own.model, config: own };
}

export const isRefusal = ({ finishReason }: { finishReason?: string | undefined }): boolean =>
  REFUSALS.includes(finishReason ?? '');
