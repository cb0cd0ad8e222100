import type { SimulatedRequest } from './behaviour.js';

export type TokensOnWire = 'vllm' | 'sglang' | 'logprobs';

/** A byte is a token. */
export const tokensOf = (text: string): number[] => [...Buffer.from(text)];
export const logprobOf = (token: number): number => -token / 1000;

/** Adds the requested token data where this kind of server puts it. */
export function withTokens(
  answer: Record<string, unknown>,
  { body }: SimulatedRequest,
  text: string,
  how: TokensOnWire | undefined,
): Record<string, unknown> {
  const [choice] = (answer['choices'] ?? []) as Record<string, unknown>[];
  if (how === undefined || choice === undefined || body['logprobs'] !== true) return answer;
  const ids = tokensOf(text);
  const content = ids.map((id) => ({
    token: String.fromCharCode(id),
    logprob: logprobOf(id),
    bytes: [id],
    top_logprobs: [],
  }));
  const told = { ...choice, logprobs: { content } };
  if (how === 'logprobs' || body['return_token_ids'] !== true) return { ...answer, choices: [told] };
  const prompt = { prompt_token_ids: tokensOf(JSON.stringify(body['messages'])) };
  return how === 'vllm'
    ? { ...answer, ...prompt, choices: [{ ...told, token_ids: ids }] }
    : { ...answer, choices: [{ ...told, ...prompt, token_ids: ids }] };
}
