/** Shown for a missing value. */
export const NONE = '–';

/** Four significant digits and every whole one; powers of ten where a plain number is long. */
export function formatScore(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(3);
  return size >= 1000 ? String(Math.round(value)) : Number(value.toPrecision(4)).toString();
}

/** Money comes as exact decimals; shown are cents, and two digits below a cent. */
export function formatUsd(exact: string | number | null | undefined): string {
  if (exact === null || exact === undefined) return NONE;
  const value = Number(exact);
  if (value === 0) return '$0';
  return value < 0.01 ? `$${Number(value.toPrecision(2))}` : `$${value.toFixed(2)}`;
}

export const formatPercent = (share: number): string => `${Math.round(share * 100)} %`;

/** `12,345`. `toLocaleString` loads tables of all languages, which slows pages of figures. */
export const formatCount = (value: number): string =>
  Math.round(value)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, ',');

/** `9,999`, `12.3 k`, `1.2 M`. */
export function formatCompact(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return NONE;
  if (amount < 10_000) return formatCount(amount);
  const [value, unit] = amount < 999_500 ? [amount / 1000, 'k'] : [amount / 1e6, 'M'];
  return `${Number(value.toFixed(value < 99.95 ? 1 : 0))} ${unit}`;
}

export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${formatCount(amount)} ${amount === 1 ? one : many}`;

const DURATIONS: readonly [below: number, unit: string, ms: number, rest: string, restMs: number][] = [
  [3_600_000, 'min', 60_000, 's', 1000],
  [86_400_000, 'h', 3_600_000, 'min', 60_000],
  [Infinity, 'd', 86_400_000, 'h', 3_600_000],
];

/** `340 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  if (ms > 0 && ms < 1) return '< 1 ms';
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  const whole = Math.max(ms, 60_000);
  const [, unit, unitMs, rest, restMs] = DURATIONS.find(([below]) => whole < below)!;
  const left = Math.floor((whole % unitMs) / restMs);
  return `${Math.floor(whole / unitMs)} ${unit}${left === 0 ? '' : ` ${left} ${rest}`}`;
}

/** `512 B`, `1.5 GB`, `12 MB`: powers of 1024, as in `memoryMb`. */
export function formatBytes(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return NONE;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let [value, unit] = [amount, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}

/** Keeps the head and tail, about `limit` characters, and states how much was omitted. */
export function clipObservation(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const omitted = text.length - 2 * half;
  return `${text.slice(0, half)}\n[... ${omitted} characters left out ...]\n${text.slice(-half)}`;
}
