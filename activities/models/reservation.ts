import { estimateTokens } from '../../domain/estimate-tokens.js';
import type { ModelRequest } from '../../domain/model.js';
import type { ModelConfig } from '../../domain/model-config.js';
import { highestCostUsd, priceAt } from '../../domain/price.js';
import { outputLimit } from './output-limit.js';

/** What to set aside before a call: no call can cost more. "0" for a model without a price. */
export function reservationUsd(
  config: ModelConfig,
  request: Pick<ModelRequest, 'messages' | 'tools' | 'sampling'>,
  now: Date,
): string {
  return highestCostUsd(priceAt(config.prices, now), {
    inputTokens: estimateTokens(request.messages, request.tools),
    outputTokens: outputLimit(config, request),
  });
}
