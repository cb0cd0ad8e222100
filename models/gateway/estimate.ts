import { isJson } from '../../domain/gateway/json.js';
import type { ModelConfig } from '../../domain/model/config.js';
import type { MeteredCall } from '../../domain/ports/metered-calls.js';
import { highestCostUsd, priceAt } from '../../domain/model/price.js';

export interface Estimate {
  inputTokens: number;
  outputTokens: number;
  usd: string;
}

/** An image's most tokens, after providers scale it down. */
const PER_IMAGE = 3000;
/** A program's mark for a cache that keeps the prompt for an hour. */
const FOR_AN_HOUR = /"ttl"\s*:\s*"1h"/;
const OUTPUT_KEYS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** A token per three bytes of text, a maximum per image, and the longest allowed answer. */
export function estimateOf(config: ModelConfig, { body, text, images, imageBytes }: MeteredCall): Estimate {
  const bytes = Buffer.byteLength(text) - imageBytes;
  const inputTokens = Math.min(Math.ceil(bytes / 3) + images * PER_IMAGE, config.contextWindow);
  const { generationConfig: nested } = body;
  const asked = [...OUTPUT_KEYS.map((key) => body[key]), isJson(nested) ? nested['maxOutputTokens'] : null].find(
    (value) => typeof value === 'number',
  );
  const outputTokens = Math.min(typeof asked === 'number' ? asked : Infinity, config.maxOutputTokens);
  return {
    inputTokens,
    outputTokens,
    usd: highestCostUsd(priceAt(config.prices, new Date()), {
      inputTokens,
      outputTokens,
      hour: FOR_AN_HOUR.test(text),
    }),
  };
}
