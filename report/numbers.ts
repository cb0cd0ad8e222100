/** Shown for a missing value. */
export const NONE = '–';

export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? NONE : value.toFixed(digits);

/** Four significant digits; powers of ten where a plain number would be long. */
export function score(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return value.toExponential(2);
  return Number(value.toPrecision(4)).toString();
}

/** US dollars: cents, and two digits below a cent. */
export function usd(value: number | null): string {
  if (value === null) return NONE;
  if (value === 0) return '$0';
  return value < 0.01 ? `$${Number(value.toPrecision(2))}` : `$${value.toFixed(2)}`;
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** `12,345`. Browsers load tables of all languages for `toLocaleString`, which takes longer than all else on a page of figures. */
export const count = (value: number): string =>
  Math.round(value)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, ',');

/** `2026-01-31 12:00 UTC`. */
export const time = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`;
