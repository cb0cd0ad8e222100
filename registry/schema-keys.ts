import type { core } from 'zod';

type AnyDef = { type: string } & Record<string, unknown>;
const defOf = (schema: core.$ZodType): AnyDef => schema._zod.def as unknown as AnyDef;

/** Look through optional, default and prefault to what is wrapped. */
function unwrap(schema: core.$ZodType): core.$ZodType {
  const inner = defOf(schema).innerType as core.$ZodType | undefined;
  return inner === undefined ? schema : unwrap(inner);
}

/** Keys that an object schema knows at a path; empty where there is no object with fixed keys. */
export function knownKeys(schema: core.$ZodType, path: readonly PropertyKey[]): string[] {
  let here = unwrap(schema);
  for (const part of path) {
    const def = defOf(here);
    let next: core.$ZodType | undefined;
    if (def.type === 'object') next = (def.shape as Record<string, core.$ZodType>)[String(part)];
    else if (def.type === 'record') next = def.valueType as core.$ZodType;
    else if (def.type === 'array') next = def.element as core.$ZodType;
    if (next === undefined) return [];
    here = unwrap(next);
  }
  const def = defOf(here);
  return def.type === 'object' ? Object.keys(def.shape as Record<string, unknown>) : [];
}
