import type { TokenUsage } from '../../../domain/model/model.js';
import type { SimulatedReply, SimulatedRequest } from './behaviour.js';

const tokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
/** Shorter prompts are not cached. */
const LEAST_CACHED = 1024;

/** Counts like a provider, with a prompt cache per key: repeated beginnings are cached. */
export class TokenCounter {
  private readonly seen = new Map<string, string[]>();

  count(request: SimulatedRequest, reply: SimulatedReply): Required<TokenUsage> {
    const prompt = request.messages
      .map((message) => `${message.role}:${message.content}${callsText(message)}`)
      .join('\n');
    const inputTokens = tokens(prompt + JSON.stringify(request.tools));
    const asked = request.wire !== 'anthropic' || JSON.stringify(request.body).includes('"cache_control"');
    const cachedTokens = asked ? this.cached(`${request.key} ${request.model}`, prompt) : 0;
    const writes = asked && request.wire === 'anthropic' && inputTokens >= LEAST_CACHED;
    const cacheWriteTokens = writes ? inputTokens - cachedTokens : 0;
    const forAnHour = JSON.stringify(request.body).includes('"ttl":"1h"');
    const said = (reply.text ?? '') + JSON.stringify(reply.toolCalls ?? reply.rawToolCalls ?? '');
    return {
      inputTokens,
      cachedTokens,
      cacheWriteTokens,
      cacheWriteHourTokens: forAnHour ? cacheWriteTokens : 0,
      outputTokens: tokens(said),
      reasoningTokens: 0,
      ...reply.usage,
    };
  }

  private cached(owner: string, prompt: string): number {
    const earlier = this.seen.get(owner) ?? [];
    const longest = Math.max(0, ...earlier.map((one) => commonLength(one, prompt)));
    this.seen.set(owner, [prompt, ...earlier.filter((one) => !prompt.startsWith(one))].slice(0, 50));
    const shared = Math.floor(longest / 4 / 128) * 128;
    return shared >= LEAST_CACHED ? shared : 0;
  }
}

const callsText = (message: { toolCalls?: unknown[] }): string =>
  message.toolCalls === undefined ? '' : JSON.stringify(message.toolCalls);

function commonLength(a: string, b: string): number {
  let [low, high] = [0, Math.min(a.length, b.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (a.startsWith(b.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}
