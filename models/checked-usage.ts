import { estimateTextTokens, estimateTokens } from '../domain/model/estimate-tokens.js';
import type { ModelReply, ModelRequest, TokenUsage } from '../domain/model/model.js';
import type { ReportedUsage } from '../domain/model/reported-usage.js';
import type { ModelConfig } from '../domain/model/config.js';
import { costUsd, priceAt, tierPrice, usdOf } from '../domain/model/price.js';
import { outputLimit } from './output-limit.js';

function problemWith(counted: ReportedUsage | null, reply: { text: string }, config: ModelConfig): string | null {
  if (counted === null) return 'the provider sent no token counts';
  const { usage, problem } = counted;
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
  const { cacheWriteTokens = 0, cacheWriteHourTokens = 0 } = usage;
  const counts = [inputTokens, outputTokens, cachedTokens, reasoningTokens, cacheWriteTokens, cacheWriteHourTokens];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0))
    return 'a token count is not a natural number';
  if (inputTokens > 2 * config.contextWindow || outputTokens > 2 * config.contextWindow)
    return 'a token count is far above the context window';
  if (inputTokens === 0 || (outputTokens === 0 && reply.text !== '')) return 'a token count is zero';
  if (
    cachedTokens + cacheWriteTokens > inputTokens ||
    cacheWriteHourTokens > cacheWriteTokens ||
    reasoningTokens > outputTokens
  )
    return 'a part of the tokens exceeds the whole';
  return problem;
}

/** The provider's token count if plausible, else a high estimate within the reservation. */
export function priced(
  reply: Pick<ModelReply, 'text' | 'toolCalls' | 'reasoning' | 'finishReason'>,
  counted: ReportedUsage | null,
  request: ModelRequest,
  config: ModelConfig,
  now: Date,
): ModelReply {
  const list = priceAt(config.prices, now);
  const price = tierPrice(list, counted?.tier ?? null);
  // Its price depends on the provider that it chose.
  const charged = config.dialect === 'openrouter' ? (counted?.charged ?? null) : null;
  const problem =
    problemWith(counted, reply, config) ??
    (Number.isNaN(charged) ? 'the charged cost is no amount' : null) ??
    (charged === null && price === undefined
      ? `prices has no tiers.${counted?.tier}, which the provider charged`
      : null);
  const said = [reply.text, ...(reply.toolCalls ?? []).map((call) => call.name + call.arguments)].join('\n');
  const usage: TokenUsage =
    problem === null && counted !== null
      ? counted.usage
      : {
          inputTokens: Math.min(estimateTokens(request.messages, request.tools), config.contextWindow),
          outputTokens: Math.min(Math.max(1, estimateTextTokens(said)), outputLimit(config, request)),
          cachedTokens: 0,
          reasoningTokens: 0,
          cacheWriteTokens: 0,
        };
  const cost = problem === null && charged !== null ? usdOf(charged) : costUsd(price ?? list, usage);
  const result: ModelReply = { ...reply, usage, costUsd: cost };
  return problem === null ? result : { ...result, usageProblem: problem };
}

/** For a prompt that the content policy refused before the model saw it. */
export const refusedPrompt: ModelReply = {
  text: '',
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, cacheWriteTokens: 0 },
  costUsd: '0',
  finishReason: 'content_filter',
};
