/** The address is the view, in readable form. Each page drops what it does not know. */
export type RawSearch = Record<string, string | string[]>;

export function parseSearch(search: string): RawSearch {
  const found: RawSearch = Object.create(null) as RawSearch;
  for (const [name, value] of new URLSearchParams(search)) {
    const known = found[name];
    found[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  return { ...found };
}

export function printSearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean')
        search.append(name, String(one));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

const first = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : Array.isArray(value)
        ? first(value[0])
        : undefined;

/** Undefined: absent or invalid. */
export type Reader<Value> = (value: unknown) => Value | undefined;

export const text: Reader<string> = (value) => {
  const found = first(value);
  return found === undefined || found === '' ? undefined : found.slice(0, 500);
};
export const number: Reader<number> = (value) => {
  const found = first(value);
  if (found === undefined || found.trim() === '') return undefined;
  const parsed = Number(found);
  return Number.isFinite(parsed) ? parsed : undefined;
};
export const natural: Reader<number> = (value) => {
  const found = number(value);
  return found !== undefined && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
};
export const flag: Reader<true> = (value) => (first(value) === 'true' ? true : undefined);
export const oneOf =
  <const Word extends string>(words: readonly Word[]): Reader<Word> =>
  (value) =>
    words.find((word) => word === first(value));
export const list: Reader<string[]> = (value) => {
  const all = (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) => first(one) ?? []);
  const distinct = [...new Set(all)];
  return distinct.length === 0 ? undefined : distinct;
};
export const listOf =
  <const Word extends string>(words: readonly Word[]): Reader<Word[]> =>
  (value) => {
    const known = (list(value) ?? []).filter((one): one is Word => (words as readonly string[]).includes(one));
    return known.length === 0 ? undefined : known;
  };

export const reader =
  <Shape extends Record<string, Reader<unknown>>>(shape: Shape) =>
  (raw: Record<string, unknown>): { [Name in keyof Shape]?: Exclude<ReturnType<Shape[Name]>, undefined> } => {
    const found: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(shape)) {
      const value = read(raw[name]);
      if (value !== undefined) found[name] = value;
    }
    return found as { [Name in keyof Shape]?: Exclude<ReturnType<Shape[Name]>, undefined> };
  };
