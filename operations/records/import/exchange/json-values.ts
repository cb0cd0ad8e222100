import type { Json } from '../read-json.js';

export type Fields = Readonly<Record<string, Json>>;

export const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
export const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const ISO_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?$/i;

/** ISO 8601 time; without a zone it is UTC on every host. null: anything else. */
export function readTime(value: Json | undefined): { at: string; zoned: boolean } | null {
  const [, day, clock, utc, hours, minutes = '00'] = ISO_TIME.exec(textOf(value) ?? '') ?? [];
  if (day === undefined || clock === undefined) return null;
  const read = Date.parse(`${day}T${clock}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  // Date.parse takes February 30 for a day in March.
  if (Number.isNaN(read) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return null;
  return { at: new Date(read).toISOString(), zoned: utc !== undefined || hours !== undefined };
}

export const timeOf = (value: Json | undefined): string | null => readTime(value)?.at ?? null;
/** A whole number from 0; null: anything else. */
export const countOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
export const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** An amount as exact decimal text; null: not an amount. */
export function amountOf(value: Json | undefined): string | null {
  const number = numberOf(value);
  if (number === null || number < 0 || number > 1e9) return null;
  return number.toFixed(12).replace(/\.?0+$/, '');
}
