import { z } from 'zod';

// Messages complete "<key> …", or "It …" where the interface names the key itself.

/** For checks without a message of their own; undefined: zod's. */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'is missing' : `must be ${a(issue.expected)}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`;
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const bound = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  const unit = { string: ['character', 'characters'], array: ['entry', 'entries'] }[issue.origin as string];
  if (unit !== undefined && issue.code === 'too_small' && bound === 1) return 'must not be empty';
  const most = issue.code === 'too_small' ? 'at least' : 'at most';
  return unit === undefined ? `must be ${most} ${bound}` : `must have ${most} ${bound} ${unit[bound === 1 ? 0 : 1]}`;
}

const KINDS: Readonly<Record<string, string>> = { int: 'a whole number', array: 'a list', object: 'an object' };
const a = (kind: string): string => KINDS[kind] ?? `a ${kind}`;

export const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `must be a whole number ${range}`;
  return z.number().int({ error }).min(min, { error }).max(max, { error }).meta({ placeholder: 'n' });
};

export const between = (min: number, max: number, placeholder: string) => {
  const error = `must be a number from ${min} to ${max}`;
  return z.number().min(min, { error }).max(max, { error }).meta({ placeholder });
};

/** A whole number, or `auto`: decided later. */
export const wholeOrAuto = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}, or auto`;
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value),
      z.union([z.number().int({ error }).min(min, { error }).max(max, { error }), z.literal('auto')], { error }),
    )
    .meta({ placeholder: 'n' });
};

/** A whole number, or false: never. A flag gives false alone, and `off` says what that does. */
export const wholeOrFalse = (min: number, max: number, off: string) => {
  const error = `must be a whole number from ${min} to ${max}, or false`;
  return z
    .union([z.number().int({ error }).min(min, { error }).max(max, { error }), z.literal(false)], { error })
    .meta({ off });
};

export const names = () => z.array(z.string().min(1)).min(1).meta({ placeholder: 'names' });

/** US dollars above zero, as exact text: `5`, `0.25`. YAML numbers are floats: keep the text. */
export const usd = () =>
  z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z
        .string()
        .regex(/^\d{1,9}(\.\d{1,10})?$/, { error: 'must be US dollars above zero: 5, 0.25', abort: true })
        .refine((text) => Number(text) > 0, 'must be US dollars above zero: 5, 0.25'),
    )
    .meta({ placeholder: 'usd' });

const SECONDS = { s: 1, m: 60, h: 3600 };

/** `90`, `90s`, `30m`, `2h` → seconds. */
export const duration = () =>
  z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z
        .string()
        .regex(/^\d+(s|m|h)?$/, 'must be seconds, or as 90s, 30m, 2h')
        .transform((text) => Number.parseInt(text, 10) * (SECONDS[text.at(-1) as keyof typeof SECONDS] ?? 1)),
    )
    .meta({ placeholder: 'time' });

/** As a batch: every one. */
export const ALL_BATCHES = 'all';

/** Never what could be an id. */
export const batchName = () =>
  z
    .string()
    .regex(
      /^(?![br]-|all$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      'must be letters, digits, dots, - and _, at most 100, not `all`, not beginning with b- or r-',
    )
    .meta({ placeholder: 'name' });
