import { z } from 'zod';

export const PROVIDERS = ['openai', 'anthropic', 'gemini', 'openai-compatible'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** OpenAI's: chat completions, or responses. */
const APIS = ['chat', 'responses'] as const;

/** Compatible servers that differ in more than their address. */
const DIALECTS = ['azure', 'mistral', 'openrouter'] as const;

/** Optional parameters; an unlisted one is never sent. */
const ACCEPTED_PARAMETERS = ['temperature', 'topP', 'seed', 'parallelToolCalls'] as const;

const variable = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'must be the name of an environment variable');
/** Does not quote the address, which may contain credentials. Null: no problem. */
export function addressProblem(address: string): string | null {
  if (!/^https?:\/\/[^\s]+$/.test(address) || !URL.canParse(address))
    return 'must be a URL that begins with http:// or https://';
  const { username, password, search, hash } = new URL(address);
  if (username !== '' || password !== '')
    return 'must not contain credentials: put the key into a variable, and name that as apiKeyVariable';
  if (search !== '' || hash !== '' || /[?#]/.test(address))
    return 'must end before the ?: put a key into a variable, and name that as apiKeyVariable';
  return null;
}
/** `secret`: the value is not shown. */
const url = z.string().superRefine((address, context) => {
  const message = addressProblem(address);
  if (message !== null) context.addIssue({ code: 'custom', message, params: { secret: true } });
});
const alias = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, - and _');
const tokens = z.number().int().min(1).max(100_000_000);
const perMinute = z.number().int().min(1).max(1_000_000_000);

/** Four decimals per million tokens are ten per token, which the ledger stores exactly. */
const price = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string().regex(/^\d{1,6}(\.\d{1,4})?$/, 'must be US dollars per million tokens, with at most four decimals'),
);

const rates = {
  input: price,
  /** Input read from the provider's cache; absent: as `input`. */
  cachedInput: price.optional(),
  /** Input written to the provider's cache; absent: as `input`. */
  cacheWrite: price.optional(),
  /** Input written to the provider's cache for an hour; absent: twice `input`, as at Anthropic. */
  cacheWriteHour: price.optional(),
  output: price,
  /** Absent: as `output`. */
  reasoning: price.optional(),
};

/** For the whole call if its prompt is longer than `aboveTokens`. */
const longPrompt = z.strictObject({ aboveTokens: tokens, ...rates }).optional();

const day = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'must be a date, as 2026-01-31');

export const modelPriceSchema = z.strictObject({
  /** First day, UTC; the price is valid until the next one begins. */
  from: day,
  ...rates,
  longPrompt,
  /** For calls whose answer names this tier, as `priority`, `flex`, `batch`. */
  tiers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a tier in lower case'),
      z.strictObject({ ...rates, longPrompt }),
    )
    .optional(),
});
/** US dollars per million tokens, as exact decimal strings. */
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** `configs/models/<alias>.yaml`. */
export const modelConfigSchema = z
  .strictObject({
    schema: z.literal(1),
    description: z.string().min(1),
    /** Besides the file's name. */
    aliases: z.array(alias).default([]),
    provider: z.enum(PROVIDERS),
    /** Of OpenAI and compatible servers; absent: chat completions. */
    api: z.enum(APIS).optional(),
    /** Of an openai-compatible server; absent: none of its own. */
    dialect: z.enum(DIALECTS).optional(),
    model: z.string().min(1).max(200),
    /** Absent: the provider's usual address. */
    baseUrl: url.optional(),
    /** Overrides `baseUrl` if set: for proxies and tests. */
    baseUrlVariable: variable.optional(),
    /** Absent: the server needs no key. */
    apiKeyVariable: variable.optional(),
    /** For rate limits; absent: by provider, address and the key's variable. */
    account: alias.optional(),
    /** Of the account, over all workers; absent: learned when the provider refuses calls. */
    rateLimit: z
      .strictObject({ requestsPerMinute: perMinute.optional(), tokensPerMinute: perMinute.optional() })
      .refine(
        (limit) => limit.requestsPerMinute !== undefined || limit.tokensPerMinute !== undefined,
        'must name requestsPerMinute, tokensPerMinute or both',
      )
      .optional(),
    contextWindow: tokens,
    maxOutputTokens: tokens,
    sampling: z
      .strictObject({
        temperature: z.number().min(0).max(2).optional(),
        topP: z.number().gt(0).max(1).optional(),
        maxOutputTokens: tokens.optional(),
      })
      .prefault({}),
    accepts: z.array(z.enum(ACCEPTED_PARAMETERS)).default([]),
    /** Accepts temperature or topP, but not both in one call. */
    temperatureExcludesTopP: z.boolean().default(false),
    /** In the provider's words; absent: its default. */
    effort: z.string().min(1).max(20).optional(),
    /** Is shown images, and has a tool to look at one. Absent: openai-compatible does not. */
    images: z.boolean().optional(),
    /** Marks the prompt's stable part for the provider's cache, if it requires that (Anthropic). */
    promptCaching: z.boolean().default(true),
    /** For server-specific keys of the request's body. */
    extraBody: z.record(z.string(), z.json()).optional(),
    /** Answers in its place what this model refuses. In files its name; in records the whole. */
    fallback: z.union([alias, z.custom<Fallback>(isFallback)]).optional(),
    /** Limit of one call; the activity around it has 15 minutes. */
    requestTimeoutSeconds: z.number().int().min(1).max(840).default(600),
    /** Oldest first. Empty: unpriced, refused unless allowed. */
    prices: z.array(modelPriceSchema).default([]),
    /** Day on which they were last compared with the provider's list. */
    pricesChecked: day.optional(),
  })
  .superRefine((config, context) => {
    const problem = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    if (config.provider === 'openai-compatible') {
      if (config.baseUrl === undefined && config.baseUrlVariable === undefined)
        problem(['provider'], 'an openai-compatible model needs baseUrl or baseUrlVariable');
    } else if (config.apiKeyVariable === undefined)
      problem(['provider'], 'a model of this provider needs apiKeyVariable');
    if (config.api !== undefined && config.provider !== 'openai' && config.provider !== 'openai-compatible')
      problem(['api'], 'only openai and openai-compatible have a choice; remove it');
    if (config.dialect !== undefined && config.provider !== 'openai-compatible')
      problem(['dialect'], 'only openai-compatible has dialects; remove it');
    if (config.api === 'responses' && config.accepts.includes('seed'))
      problem(['accepts'], 'the responses API takes no seed; remove it');
    if (config.provider === 'gemini' && config.accepts.includes('parallelToolCalls'))
      problem(['accepts'], 'Gemini has no parallelToolCalls; remove it');
    if (config.maxOutputTokens > config.contextWindow)
      problem(['maxOutputTokens'], 'must not be larger than contextWindow');
    if ((config.sampling.maxOutputTokens ?? 0) > config.maxOutputTokens)
      problem(['sampling', 'maxOutputTokens'], 'must not be larger than maxOutputTokens of the model');
    for (const key of ['temperature', 'topP'] as const) {
      if (config.sampling[key] !== undefined && !config.accepts.includes(key))
        problem(['sampling', key], `the model does not accept it; add ${key} to accepts, or remove it`);
    }
    if (
      config.temperatureExcludesTopP &&
      config.sampling.temperature !== undefined &&
      config.sampling.topP !== undefined
    )
      problem(['sampling', 'topP'], 'the model takes temperature or topP, not both');
    config.prices.forEach((one, index) => {
      const before = config.prices[index - 1];
      if (before !== undefined && before.from >= one.from)
        problem(['prices', index, 'from'], 'must be later than the one before');
    });
  });
export type ModelConfig = z.infer<typeof modelConfigSchema>;

export interface Fallback {
  name: string;
  config: ModelConfig;
}

function isFallback(value: unknown): boolean {
  const { name, config } = (value ?? {}) as Partial<Record<keyof Fallback, unknown>>;
  return alias.safeParse(name).success && modelConfigSchema.safeParse(config).success;
}

/** Why no HTTP header can hold a key: curly quotes, a line break inside. Null: one can. */
export function headerProblem(value: string): string | null {
  const characters = [...value];
  const at = characters.findIndex((character) => /[^\t\x20-\x7e\x80-\xff]/u.test(character));
  if (at < 0) return null;
  const code = characters[at]?.codePointAt(0) ?? 0;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const control = code === 0x0a ? 'a line break' : 'a control character';
  const shown = code < 0x20 || code === 0x7f ? control : characters[at];
  return `has ${shown} (${number}) as character ${at + 1}, which no HTTP header can hold`;
}

/** Anthropic's cache keeps what a request marks, for as long as the mark says; others choose. */
export const marksPrompts = ({ provider, promptCaching }: ModelConfig): boolean =>
  provider === 'anthropic' && promptCaching;
