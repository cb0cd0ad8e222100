import { cutToWidth, printable } from '../terminal-text.js';

/** The end of an id is its random part: enough to name it, and every command accepts it. */
export const shortId = (id: string): string => id.slice(-8);

export function formatScore(score: number | null | undefined): string {
  if (score === null || score === undefined) return '–';
  if (score !== 0 && (Math.abs(score) >= 1e6 || Math.abs(score) < 1e-3)) return score.toExponential(3);
  return Number(score.toFixed(4)).toString();
}

/** Money is an exact decimal string; people see cents, or more digits below a cent. */
export function formatCost(usd: string): string {
  const value = Number(usd);
  if (value === 0) return '$0';
  return value < 0.01 ? `$${Number(value.toPrecision(2))}` : `$${value.toFixed(2)}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** From start to end, or to now. */
export function formatSpan(startedAt: string | null, endedAt: string | null, now: Date = new Date()): string {
  if (startedAt === null) return '–';
  return formatDuration((endedAt === null ? now : new Date(endedAt)).getTime() - new Date(startedAt).getTime());
}

/** `2026-01-31 12:00:00` in the reader's time zone. */
export function formatTime(iso: string | null): string {
  if (iso === null) return '–';
  const date = new Date(iso);
  const two = (n: number): string => String(n).padStart(2, '0');
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Any text as one line of at most `width` columns. */
export const oneLine = (text: string, width: number): string =>
  cutToWidth(printable(text).replace(/\s+/g, ' ').trim(), width);

export const indent = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : by + line))
    .join('\n');

/** `blotto 0.5 (saved: 0.4)`; without a baseline: none. */
export const movedBaseline = (one: { task: string; saved: number | null; now: number | null }): string => {
  const [now, saved] = [one.now, one.saved].map((value) => (value === null ? 'none' : formatScore(value)));
  return `${one.task} ${now} (saved: ${saved})`;
};
