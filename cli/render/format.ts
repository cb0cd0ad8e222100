import { formatDuration, formatScore, NONE } from '../../domain/text/format.js';
import { cutToWidth, printable } from '../terminal-text.js';

/** The end of an id is its random part: enough to name it, and every command accepts it. */
export const shortId = (id: string): string => id.slice(-8);

/** From start to end, or to now. */
export function formatSpan(startedAt: string | null, endedAt: string | null, now: Date = new Date()): string {
  if (startedAt === null) return NONE;
  return formatDuration((endedAt === null ? now : new Date(endedAt)).getTime() - new Date(startedAt).getTime());
}

/** `2026-01-31 12:00:00` in the reader's time zone. */
export function formatTime(iso: string | null): string {
  if (iso === null) return NONE;
  const date = new Date(iso);
  const two = (n: number): string => String(n).padStart(2, '0');
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

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
