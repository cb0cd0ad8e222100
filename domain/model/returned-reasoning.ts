import { z } from 'zod';

const fields = z.record(z.string(), z.unknown());
/** Anthropic: a thinking block as it came, or the place of a part that is stored with the reply. */
const block = z.union([
  z.object({ type: z.literal('text'), length: z.number().int().min(0) }).strict(),
  z.object({ type: z.literal('tool_use') }).strict(),
  z.looseObject({ type: z.enum(['thinking', 'redacted_thinking']) }),
]);
export type ReasoningBlock = z.infer<typeof block>;

const schema = z.object({
  provider: z.string(),
  model: z.string(),
  /** Anthropic: all blocks of the reply, in order. */
  blocks: z.array(block).optional(),
  /** OpenAI's responses: reasoning items as they came, and the places of the others, in order. */
  items: z.array(z.looseObject({ type: z.string() })).optional(),
  /** Gemini: parts of the reply in order, as `items`. */
  parts: z.array(fields).optional(),
  /** OpenAI's chat completions: further fields of the message, and of each call. */
  message: fields.optional(),
  calls: z.array(fields).optional(),
});

/**
 * What a provider wants back with the tool calls of a reply: reasoning, signatures, and the calls'
 * ids as they were. Opaque, and only for the model that gave the reply.
 */
export type ReturnedReasoning = z.infer<typeof schema>;

/** As messages and the record hold it: JSON whose text never changes, so prompts have one hash. */
export const encodeReasoning = (reasoning: ReturnedReasoning): string => JSON.stringify(reasoning);

/** Null: unreadable, as of a newer version. */
export function decodeReasoning(text: string): ReturnedReasoning | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Dropped where another model, or another provider, continues. */
export function isReasoningOf(text: string, model: { provider: string; model: string } | undefined): boolean {
  const given = decodeReasoning(text);
  return given !== null && given.provider === model?.provider && given.model === model.model;
}

/** For a prompt that is too long: signed blocks only whole or not at all, other texts by `clip`. */
export function shortenedReasoning(text: string, clip: (text: string) => string): string {
  const { blocks, items, parts, message, ...rest } = decodeReasoning(text) ?? {};
  const signed = [blocks, items, parts].some((list) => list !== undefined);
  if (!signed && typeof message?.['reasoning_content'] !== 'string') return text;
  const reasoning = message?.['reasoning_content'];
  const short = typeof reasoning === 'string' ? { ...message, reasoning_content: clip(reasoning) } : message;
  return JSON.stringify({ ...rest, ...(short !== undefined && { message: short }) });
}

/** Readable or encrypted texts of it, at any depth. */
export function reasoningTexts(text: string): string[] {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  const { blocks, items, parts, message, calls } = decodeReasoning(text) ?? {};
  walk([blocks, items, parts, message, calls]);
  return texts;
}
