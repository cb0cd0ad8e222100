import { NONE } from '../../../domain/text/format.js';

export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? NONE : value.toFixed(digits);

/** `2026-01-31 12:00 UTC`. */
export const time = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

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
