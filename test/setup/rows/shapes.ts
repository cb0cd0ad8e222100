/** What a value may be, as its type says: it fits if it fits one of these. */
export type Shape = readonly Alternative[];

export type Alternative =
  | { is: 'anything' | 'null' | 'undefined' | 'Date' | 'Buffer' | 'bigint' }
  | { is: 'string' | 'number' | 'boolean'; values?: readonly Literal[] }
  | { is: 'array'; items: Shape }
  | { is: 'object'; properties: Readonly<Record<string, Shape>>; others?: Shape };

type Literal = string | number | boolean;
type Kind = Alternative['is'];

export interface Mismatch {
  /** `column`, or `column.property[]` within JSON. */
  where: string;
  declared: string;
  found: string;
}

/** Of alternatives of its kind, what the nearest misses. More properties are no mismatch. */
export function mismatches(shape: Shape, value: unknown, where = ''): Mismatch[] {
  const kind = kindOf(value);
  const inside: Mismatch[][] = [];
  for (const alternative of shape) {
    if (alternative.is === 'anything') return [];
    if (alternative.is !== kind) continue;
    const found = mismatchesInside(alternative, value, where);
    if (found === null) continue;
    if (found.length === 0) return [];
    inside.push(found);
  }
  const [nearest] = inside.toSorted((one, other) => one.length - other.length);
  return nearest ?? [{ where, declared: describe(shape), found: describeValue(value) }];
}

/** Null: the value is none of the literals. */
function mismatchesInside(alternative: Alternative, value: unknown, where: string): Mismatch[] | null {
  if ('values' in alternative) return alternative.values?.includes(value as Literal) === false ? null : [];
  if (alternative.is === 'array')
    return (value as unknown[]).flatMap((item) => mismatches(alternative.items, item, `${where}[]`)).slice(0, 1);
  if (alternative.is !== 'object') return [];
  const { properties, others } = alternative;
  const object = value as Record<string, unknown>;
  const path = (name: string) => (where === '' ? name : `${where}.${name}`);
  const found = Object.entries(properties).flatMap(([name, shape]) => mismatches(shape, object[name], path(name)));
  if (others !== undefined)
    for (const [name, own] of Object.entries(object))
      if (!Object.hasOwn(properties, name)) found.push(...mismatches(others, own, path(name)));
  return found;
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'Date';
  if (value instanceof Uint8Array) return 'Buffer';
  return typeof value as Kind;
}

const describe = (shape: Shape): string =>
  shape
    .map((alternative) =>
      'values' in alternative && alternative.values !== undefined
        ? alternative.values.map((value) => JSON.stringify(value)).join(' | ')
        : alternative.is,
    )
    .join(' | ') || 'never';

const describeValue = (value: unknown): string =>
  value === undefined ? 'nothing' : value === null ? 'null' : `${kindOf(value)} ${JSON.stringify(value).slice(0, 60)}`;
