import type { core } from 'zod';

type AnyDef = { type: string } & Record<string, unknown>;
const defOf = (schema: core.$ZodType): AnyDef => schema._zod.def as unknown as AnyDef;

/** Removes optional, default and prefault. */
function unwrap(schema: core.$ZodType): core.$ZodType {
  const inner = defOf(schema).innerType as core.$ZodType | undefined;
  return inner === undefined ? schema : unwrap(inner);
}

/** Of a union, the members whose tag (`kind: game`) fits the value; all without a value. */
function alternatives(schema: core.$ZodType, value: unknown): core.$ZodType[] {
  const here = unwrap(schema);
  const def = defOf(here);
  if (def.type !== 'union') return [here];
  const options = (def.options as core.$ZodType[]).flatMap((option) => alternatives(option, value));
  const tag = (value as Record<string, unknown> | undefined)?.[String(def.discriminator)];
  const fitting = options.filter((option) =>
    inside(option, String(def.discriminator)).some((each) => allows(each, tag)),
  );
  return fitting.length > 0 ? fitting : options;
}

const allows = (literal: core.$ZodType, value: unknown): boolean =>
  ((defOf(literal).values as unknown[] | undefined) ?? []).includes(value);

function inside(schema: core.$ZodType, part: PropertyKey, value?: unknown): core.$ZodType[] {
  const def = defOf(schema);
  let next: core.$ZodType | undefined;
  if (def.type === 'object') next = (def.shape as Record<string, core.$ZodType>)[String(part)];
  else if (def.type === 'record') next = def.valueType as core.$ZodType;
  else if (def.type === 'array') next = def.element as core.$ZodType;
  return next === undefined ? [] : alternatives(next, value);
}

/** Empty without fixed keys. Of a union: by the `value`'s tag; without a value of all members. */
export function knownKeys(schema: core.$ZodType, path: readonly PropertyKey[], value?: unknown): string[] {
  let here = alternatives(schema, value);
  let found = value;
  for (const part of path) {
    found = (found as Record<PropertyKey, unknown> | null | undefined)?.[part];
    here = here.flatMap((each) => inside(each, part, found));
  }
  const keys = here.flatMap((each) => {
    const def = defOf(each);
    return def.type === 'object' ? Object.keys(def.shape as Record<string, unknown>) : [];
  });
  return [...new Set(keys)];
}
