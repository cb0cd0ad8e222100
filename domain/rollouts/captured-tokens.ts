import { z } from 'zod';

/** Token data that a server returns, from most to least. Only `tokens` can be trained on. */
export const CAPTURE_LEVELS = ['tokens', 'logprobs', 'text'] as const;
export type CaptureLevel = (typeof CAPTURE_LEVELS)[number];

/** The server's token ids and the sampled tokens' log-probabilities, never from text. */
export interface CapturedTokens {
  level: CaptureLevel;
  /** Only at level `tokens`, as the next. */
  promptTokenIds: number[] | null;
  /** As sampled; as many as `logprobs`. */
  tokenIds: number[] | null;
  /** At levels `tokens` and `logprobs`. */
  logprobs: number[] | null;
}

export interface CapturedCall extends CapturedTokens {
  request: { messages: unknown[]; tools: unknown[] | null; sampling: Record<string, unknown> };
}

/** Request parameters of each level. */
export const CAPTURE_PARAMETERS: Readonly<Record<CaptureLevel, Record<string, unknown>>> = {
  // At `top_logprobs: 0` llama.cpp returns no log-probability at all.
  tokens: { return_token_ids: true, logprobs: true, top_logprobs: 1 },
  logprobs: { logprobs: true, top_logprobs: 1 },
  text: {},
};

/** Levels to try on a server that refuses a level. */
export const levelsFrom = (asked: CaptureLevel): readonly CaptureLevel[] =>
  CAPTURE_LEVELS.slice(CAPTURE_LEVELS.indexOf(asked));

/** A rollout's lowest level. Null: no answer. */
export function leastLevel(levels: readonly CaptureLevel[]): CaptureLevel | null {
  return levels.length === 0
    ? null
    : (CAPTURE_LEVELS[Math.max(...levels.map((one) => CAPTURE_LEVELS.indexOf(one)))] ?? null);
}

const ids = z.array(z.number().int().min(0)).min(1).nullish().catch(null);
const answerSchema = z.object({
  prompt_token_ids: ids,
  choices: z
    .array(
      z.object({
        prompt_token_ids: ids,
        token_ids: ids,
        logprobs: z
          .object({ content: z.array(z.object({ logprob: z.number().max(0) })) })
          .nullish()
          .catch(null),
      }),
    )
    .catch([]),
});

/** From a chat completion's first choice. Missing or inconsistent data lower the level. */
export function capturedTokens(body: unknown, asked: CaptureLevel): CapturedTokens {
  const text = { level: 'text', promptTokenIds: null, tokenIds: null, logprobs: null } as const;
  const answer = answerSchema.safeParse(body).data;
  const choice = answer?.choices[0];
  if (asked === 'text' || answer === undefined || choice?.logprobs == null) return text;
  const logprobs = choice.logprobs.content.map(({ logprob }) => logprob);
  const promptTokenIds = answer.prompt_token_ids ?? choice.prompt_token_ids ?? null;
  const tokenIds = choice.token_ids ?? null;
  const whole = promptTokenIds !== null && tokenIds?.length === logprobs.length;
  if (asked === 'tokens' && whole) return { level: 'tokens', promptTokenIds, tokenIds, logprobs };
  return logprobs.length === 0 ? text : { ...text, level: 'logprobs', logprobs };
}
