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

/** Money comes as exact decimals; shown are cents, and two digits below a cent. */
export function usd(exact: string | number | null | undefined): string {
  if (exact === null || exact === undefined) return NONE;
  const value = Number(exact);
  if (value === 0) return '$0';
  return value < 0.01 ? `$${Number(value.toPrecision(2))}` : `$${value.toFixed(2)}`;
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** `12,345`. `toLocaleString` loads tables of all languages, which slows pages of figures. */
export const count = (value: number): string =>
  Math.round(value)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, ',');

/** `2026-01-31 12:00 UTC`. */
export const time = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`;

/** With units: `340 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  if (ms < 1) return '< 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const pairs: [number, string, number, string][] = [
    [3_600_000, 'min', 60_000, 's'],
    [86_400_000, 'h', 3_600_000, 'min'],
    [Infinity, 'd', 86_400_000, 'h'],
  ];
  const small: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 };
  const [, big, unit, little] = pairs.find(([below]) => ms < below)!;
  const whole = Math.floor(ms / unit);
  const rest = Math.floor((ms - whole * unit) / small[little]!);
  return rest === 0 ? `${whole} ${big}` : `${whole} ${big} ${rest} ${little}`;
}

export function bytes(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return NONE;
  if (amount < 1024) return `${amount} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = amount;
  let unit = '';
  for (const one of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = one;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Thousands and millions. */
export function short(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return NONE;
  if (amount < 10_000) return count(amount);
  return amount < 9_950_000
    ? `${(amount / 1000).toFixed(amount < 99_950 ? 1 : 0)} k`
    : `${(amount / 1e6).toFixed(1)} M`;
}

/** `12 s ago`, `in 3 min`. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  const [amount, unit] = ((away: number): [number, string] =>
    away < 60_000
      ? [away / 1000, 's']
      : away < 3_600_000
        ? [away / 60_000, 'min']
        : away < 86_400_000 * 2
          ? [away / 3_600_000, 'h']
          : [away / 86_400_000, 'd'])(Math.abs(ms));
  const words = `${Math.floor(amount)} ${unit}`;
  return Math.abs(ms) < 1000 ? 'now' : ms >= 0 ? `${words} ago` : `in ${words}`;
}

/** `max_steps` and `maxSteps` become `max steps`. */
export const words = (name: string): string =>
  name.replaceAll('_', ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
