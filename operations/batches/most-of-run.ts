import { MAX_REPLIES_PER_STEP } from '../../domain/run/limits.js';
import { fallbackOf } from '../../domain/model/model.js';
import { compareUsd, highestCostUsd, priceAt, usdText, usdUnits } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { marksPrompts } from '../../domain/model/config.js';
import { outputLimit } from '../../models/output-limit.js';

type Limited = Pick<RunDefinition, 'model' | 'sampling' | 'maxSteps' | 'wallSeconds' | 'costLimitUsd' | 'tokenLimit'>;

/** Every reply of every step with a full context window. Null: no price, or no limit. */
export interface MostOfRun {
  costUsd: string | null;
  tokens: number | null;
  seconds: number | null;
}

export function mostOfRun(run: Limited, now: Date): MostOfRun {
  const { model, maxSteps, sampling, wallSeconds, costLimitUsd = null, tokenLimit = 0 } = run;
  const seconds = wallSeconds === 0 ? null : wallSeconds;
  // Programs and people cost nothing and read no tokens.
  if (model.config === undefined) return { costUsd: '0', tokens: 0, seconds };
  const most = {
    inputTokens: model.config.contextWindow,
    outputTokens: outputLimit(model.config, { messages: [], sampling }),
    hour: marksPrompts(model.config),
  };
  const replies = maxSteps * MAX_REPLIES_PER_STEP;
  const tokens = (most.inputTokens + most.outputTokens) * replies;
  const costs = [model.config, fallbackOf(model)?.config ?? model.config].map(({ prices }) =>
    mostCost(priceAt(prices, now), most, replies, costLimitUsd),
  );
  return {
    costUsd: costs.reduce((a, b) => (a === null || b === null ? null : compareUsd(a, b) < 0 ? b : a)),
    tokens: tokenLimit === 0 ? tokens : Math.min(tokens, tokenLimit),
    seconds,
  };
}

function mostCost(
  price: ReturnType<typeof priceAt>,
  most: Parameters<typeof highestCostUsd>[1],
  replies: number,
  limit: string | null,
): string | null {
  if (price === null) return null;
  const all = usdUnits(highestCostUsd(price, most)) * BigInt(replies);
  return limit !== null && usdUnits(limit) < all ? usdText(usdUnits(limit)) : usdText(all);
}
