import { estimateTokens } from '../domain/model/estimate-tokens.js';
import type { ModelRequest } from '../domain/model/model.js';
import { marksPrompts, type ModelConfig } from '../domain/model/config.js';
import { highestCostUsd, priceAt, usdText, usdUnits } from '../domain/model/price.js';
import { outputLimit } from './output-limit.js';

/** An upper bound if the provider obeys the request. "0" for a model without a price. */
export function reservationUsd(
  config: ModelConfig,
  request: Pick<ModelRequest, 'messages' | 'tools' | 'sampling' | 'cacheForAnHour'>,
  now: Date,
): string {
  return highestCostUsd(priceAt(config.prices, now), {
    inputTokens: estimateTokens(request.messages, request.tools),
    outputTokens: outputLimit(config, request),
    hour: request.cacheForAnHour === true && marksPrompts(config),
  });
}

/** Factors have two decimals. */
const hundredths = (factor: number): bigint => BigInt(Math.round(factor * 100));

/** For a model that has billed more than was reserved. */
export const timesFactor = (reservedUsd: string, factor: number): string =>
  usdText((usdUnits(reservedUsd) * hundredths(factor) + 99n) / 100n);

export const factorFor = (costUsd: string, reservedUsd: string): number => {
  const [cost, reserved] = [usdUnits(costUsd), usdUnits(reservedUsd)];
  return Number((cost * 100n + reserved - 1n) / reserved) / 100;
};
