import { isJson, type Json } from './json.js';

interface Range {
  least: number;
  most: number;
  whole: boolean;
}

export type NumberFields = Readonly<Record<string, Range>>;

const MOST = Number.MAX_SAFE_INTEGER;
export const COUNT: Range = { least: 1, most: MOST, whole: true };
export const FROM_ZERO: Range = { least: 0, most: MOST, whole: true };
export const WHOLE: Range = { least: -MOST, most: MOST, whole: true };
export const between = (least: number, most: number): Range => ({ least, most, whole: false });

/** Problem of a request's numbers, in the provider's words; null: none. Null counts as absent. */
export function numberProblem(body: Json, fields: NumberFields): string | null {
  for (const [path, range] of Object.entries(fields))
    for (const value of valuesAt(body, path.split('.'))) {
      if (value === undefined || value === null || isWithin(value, range)) continue;
      const kind = range.whole ? 'an integer' : 'a number';
      const bounds = range.most === MOST ? `of at least ${range.least}` : `from ${range.least} to ${range.most}`;
      return `${path}: must be ${kind}${range.least === -MOST ? '' : ` ${bounds}`}`;
    }
  return null;
}

const isWithin = (value: unknown, { least, most, whole }: Range): boolean =>
  typeof value === 'number' && value >= least && value <= most && (!whole || Number.isSafeInteger(value));

function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return [value];
  if (key === '*')
    return Array.isArray(value) || isJson(value) ? Object.values(value).flatMap((one) => valuesAt(one, rest)) : [];
  return isJson(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [];
}
