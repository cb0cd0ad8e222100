import { isJson, type Json } from '../gateway/json.js';
import type { TokenUsage } from './model.js';

/** An answer's token counts, read from its provider's dialect. */
export interface ReportedUsage {
  usage: TokenUsage;
  /** Why the counts contradict each other; null: they add up. */
  problem: string | null;
  /** That the provider says it charged; null: none, or the one of the list price. */
  tier: string | null;
  /** Dollars that the server says it charged; null: not said, NaN: no amount. */
  charged?: number | null;
}

/** Tiers at the list price, in the words of OpenAI, Anthropic, Groq and Google. */
const LISTED = ['', 'auto', 'default', 'standard', 'on_demand'];

const tierOf = (value: unknown): string | null => {
  const tier = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return LISTED.includes(tier) ? null : tier.slice(0, 40);
};

/** NaN: there, but no number. */
const number = (value: unknown, absent = 0): number =>
  value === undefined || value === null ? absent : typeof value === 'number' ? value : Number.NaN;

/** NaN: there, but no natural number, which a sum would hide. */
const count = (value: unknown, absent = 0): number => {
  const given = number(value, absent);
  return Number.isSafeInteger(given) && given >= 0 ? given : Number.NaN;
};

const inside = (usage: Json, key: string): Json => (isJson(usage[key]) ? usage[key] : {});

interface Counts {
  input: number;
  output: number;
  /** 0: not stated. */
  total: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
}

/** What the total has beyond its parts was generated: some count thoughts only there. */
function addedUp(counts: Counts, tier: string | null): ReportedUsage {
  const { input, output, total, cachedTokens, cacheWriteTokens, reasoningTokens: said } = counts;
  const rest = total === 0 ? 0 : total - input - output;
  const contradicts = rest < 0 || Number.isNaN(total);
  const apart = rest > 0 ? rest : 0;
  return {
    usage: {
      inputTokens: input,
      outputTokens: output + apart,
      cachedTokens,
      cacheWriteTokens,
      reasoningTokens: said === 0 ? apart : said,
    },
    problem: contradicts ? 'the token counts do not add up to their total' : null,
    tier,
  };
}

/** Of chat completions. */
export function chatUsage(answer: Json): ReportedUsage | null {
  const { usage } = answer;
  if (!isJson(usage)) return null;
  const input = inside(usage, 'prompt_tokens_details');
  // Kimi and DeepSeek have the cached tokens elsewhere.
  const cached = [input['cached_tokens'], usage['cached_tokens'], usage['prompt_cache_hit_tokens']];
  const counted = addedUp(
    {
      input: count(usage['prompt_tokens'], Number.NaN),
      output: count(usage['completion_tokens'], Number.NaN),
      total: count(usage['total_tokens']),
      cachedTokens: Math.max(...cached.map((value) => count(value))),
      cacheWriteTokens: count(input['cache_write_tokens']),
      reasoningTokens: count(inside(usage, 'completion_tokens_details')['reasoning_tokens']),
    },
    tierOf(answer['service_tier'] ?? usage['service_tier']),
  );
  return { ...counted, charged: chargedOf(usage) };
}

/** OpenRouter; by a key of one's own, the provider behind it charges that. */
function chargedOf(usage: Json): number | null {
  if (usage['cost'] == null) return null;
  const upstream = usage['is_byok'] === true ? inside(usage, 'cost_details')['upstream_inference_cost'] : 0;
  const charged = number(usage['cost']) + number(upstream);
  return charged >= 0 && charged < MOST_CHARGED ? charged : Number.NaN;
}

const MOST_CHARGED = 1_000_000;

/** Of OpenAI's responses. */
export function responsesUsage(answer: Json): ReportedUsage | null {
  const { usage } = answer;
  if (!isJson(usage)) return null;
  const input = inside(usage, 'input_tokens_details');
  return addedUp(
    {
      input: count(usage['input_tokens'], Number.NaN),
      output: count(usage['output_tokens'], Number.NaN),
      total: count(usage['total_tokens']),
      cachedTokens: count(input['cached_tokens']),
      cacheWriteTokens: count(input['cache_write_tokens']),
      reasoningTokens: count(inside(usage, 'output_tokens_details')['reasoning_tokens']),
    },
    tierOf(answer['service_tier'] ?? usage['service_tier']),
  );
}

/** Of Anthropic's messages, which count cache reads and writes apart. */
export function messagesUsage(answer: Json): ReportedUsage | null {
  const { usage } = answer;
  if (!isJson(usage)) return null;
  const cachedTokens = count(usage['cache_read_input_tokens']);
  const cacheWriteTokens = count(usage['cache_creation_input_tokens']);
  const forAnHour = count(inside(usage, 'cache_creation')['ephemeral_1h_input_tokens']);
  const counted = addedUp(
    {
      input: count(usage['input_tokens'], Number.NaN) + cachedTokens + cacheWriteTokens,
      output: count(usage['output_tokens'], Number.NaN),
      total: 0,
      cachedTokens,
      cacheWriteTokens,
      reasoningTokens: count(inside(usage, 'output_tokens_details')['thinking_tokens']),
    },
    tierOf(usage['service_tier']),
  );
  return forAnHour === 0 ? counted : { ...counted, usage: { ...counted.usage, cacheWriteHourTokens: forAnHour } };
}

/** Of Gemini's generateContent. Candidates exclude thoughts; the prompt, what tools found. */
export function geminiUsage(answer: Json): ReportedUsage | null {
  const { usageMetadata: usage } = answer;
  if (!isJson(usage)) return null;
  const thoughts = count(usage['thoughtsTokenCount']);
  return addedUp(
    {
      input: count(usage['promptTokenCount'], Number.NaN) + count(usage['toolUsePromptTokenCount']),
      output: count(usage['candidatesTokenCount']) + thoughts,
      total: count(usage['totalTokenCount']),
      cachedTokens: count(usage['cachedContentTokenCount']),
      cacheWriteTokens: 0,
      reasoningTokens: thoughts,
    },
    tierOf(usage['serviceTier']),
  );
}
