import { formatDuration } from '../../domain/text/format.js';
import { formatTime } from './format.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';

/** `blocked: Temporal does not answer: …; last step …, 3 min 4 s ago`; null: not blocked. */
export function blockerLine(
  { blockedBy, lastStepAt }: Pick<BatchStatusReport, 'blockedBy' | 'lastStepAt'>,
  now: Date = new Date(),
): string | null {
  if (blockedBy === null) return null;
  return `blocked: ${blockedBy.detail}; ${lastStep(lastStepAt, now)}`;
}

/** `last step 2026-01-31 12:00:00, 3 min 4 s ago` */
export const lastStep = (at: string | null, now: Date = new Date()): string =>
  at === null
    ? 'no step yet'
    : `last step ${formatTime(at)}, ${formatDuration(now.getTime() - new Date(at).getTime())} ago`;
