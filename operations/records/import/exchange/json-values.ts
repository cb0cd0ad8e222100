import type { Json } from '../read-json.js';

export type Fields = Readonly<Record<string, Json>>;

export const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
export const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
export const timeOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : null;
/** Whole, and not below 0; null: anything else. */
export const countOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
export const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** An amount as exact decimal text; null: it is none. */
export function amountOf(value: Json | undefined): string | null {
  const number = numberOf(value);
  if (number === null || number < 0 || number > 1e9) return null;
  return number.toFixed(12).replace(/\.?0+$/, '');
}
