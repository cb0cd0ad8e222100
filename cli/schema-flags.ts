import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { plainMessage } from '../domain/requests/fields.js';
import { commaList } from './options.js';

/** `maxSteps` → `--max-steps`, `T` → `--T`. */
export const flagOf = (key: string): string =>
  `--${key.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The schema under defaults, optional and nullable, with its texts. */
function inside(field: z.core.$ZodType): {
  kind: z.core.$ZodType;
  placeholder: string;
  fallback: unknown;
  off: string | undefined;
} {
  let [kind, fallback, placeholder]: [z.core.$ZodType, unknown, string | undefined] = [field, undefined, undefined];
  let off: string | undefined;
  for (;;) {
    const meta = z.globalRegistry.get(kind) as { placeholder?: string; shown?: unknown; off?: string } | undefined;
    placeholder ??= meta?.placeholder;
    fallback ??= meta?.shown;
    off ??= meta?.off;
    if (kind instanceof z.ZodDefault) fallback = kind.def.defaultValue;
    if (kind instanceof z.ZodDefault || kind instanceof z.ZodOptional || kind instanceof z.ZodNullable)
      kind = kind.unwrap();
    else return { kind, placeholder: placeholder ?? 'value', fallback, off };
  }
}

/** Throws InvalidArgumentError with the field's message. */
function valueOf(kind: z.core.$ZodType, text: string): unknown {
  const raw = kind instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text.trim();
  const result = z.safeParse(kind, raw, { error: plainMessage });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  // Text for a number gets the message about its bounds.
  const message =
    issue?.code === 'invalid_type' && kind instanceof z.ZodNumber
      ? (z.safeParse(kind, -1, { error: plainMessage }).error?.issues[0]?.message ?? issue.message)
      : issue?.message;
  throw new InvalidArgumentError(`It ${message}.`);
}

/** An argument's text as this field takes it, blanks included. Throws InvalidArgumentError. */
export const textOf =
  (field: z.ZodType<string>) =>
  (text: string): string => {
    const result = field.safeParse(text, { error: plainMessage });
    if (result.success) return result.data;
    throw new InvalidArgumentError(`It ${result.error.issues[0]?.message ?? 'is wrong'}.`);
  };

/**
 * A command's options from a request's fields: one source of name, bounds, default and help.
 * `texts`: help for the command line alone; `without`: omitted fields; `parsers`: own forms.
 */
export function requestOptions(
  shape: z.ZodRawShape,
  {
    texts = {},
    without = [],
    parsers = {},
  }: {
    texts?: Record<string, string>;
    without?: readonly string[];
    parsers?: Record<string, (text: string, before: unknown) => unknown>;
  } = {},
): Option[] {
  return Object.entries(shape)
    .filter(([key]) => !without.includes(key))
    .map(([key, field]) => {
      const { kind, placeholder, fallback, off } = inside(field);
      if (off !== undefined) return new Option(flagOf(key).replace('--', '--no-'), off).default(fallback);
      const description =
        texts[key] ?? (z.globalRegistry.get(field) as { description?: string } | undefined)?.description;
      const isFlag = kind instanceof z.ZodBoolean;
      const option = new Option(isFlag ? flagOf(key) : `${flagOf(key)} <${placeholder}>`, description);
      const parser = parsers[key];
      if (parser !== undefined) option.argParser(parser);
      else if (kind instanceof z.ZodEnum) choices(option, kind);
      // The first value replaces the default; later ones are added.
      else if (kind instanceof z.ZodArray)
        option.argParser((text, before: string[] | undefined) => commaList(text, before === fallback ? [] : before));
      else if (!isFlag) option.argParser((text) => valueOf(kind, text));
      if (!isFlag && fallback !== null && fallback !== undefined) option.default(fallback);
      return option;
    });
}

/** A wrong choice gets the enum's own error, if any. */
function choices(option: Option, kind: z.ZodEnum): void {
  const { parseArg } = option.choices(kind.options.map(String));
  if (kind.def.error === undefined) return;
  option.argParser((text, before) => {
    const message = z.safeParse(kind, text).error?.issues[0]?.message;
    if (message !== undefined && !message.startsWith('Invalid')) throw new InvalidArgumentError(`${message}.`);
    return parseArg!(text, before as string);
  });
}

export const requestFields = (
  shape: z.ZodRawShape,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([key, value]) => key in shape && value !== undefined));
