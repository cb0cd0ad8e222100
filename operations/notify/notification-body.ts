import type { DueNotification } from '../../domain/ports/notifications.js';
import type { NotificationKind } from '../../domain/home/notifications.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { NotificationBody } from '../../domain/views/notifications.js';

export function notificationBody(
  { notificationId, kind, detail }: DueNotification,
  report: BatchStatusReport,
  now: Date,
): NotificationBody {
  const { runList: _runs, episodes: _e, replaced: _r, forecast: _f, providerErrors: _p, ...rest } = report;
  const { blockedBy: _h, lastStepAt: _l, ...batch } = rest;
  return {
    id: notificationId,
    event: `batch.${kind}`,
    at: now.toISOString(),
    text: textOf({ kind, detail }, report),
    batch,
  };
}

export const testBody = (id: string, now: Date): NotificationBody => ({
  id,
  event: 'test',
  at: now.toISOString(),
  text: 'bench can reach this webhook',
  batch: null,
});

/** `Batch spring (b-…) has ended: 60 of 60 runs, $4.02; 58 submit, 2 infra_error` */
function textOf(
  { kind, detail }: Pick<DueNotification, 'kind' | 'detail'>,
  { batchId, name, status, runs, ended, costUsd, ...more }: BatchStatusReport,
): string {
  const what: Record<NotificationKind, string> = {
    ended: status === 'cancelled' ? 'was cancelled' : 'has ended',
    stalled: 'is stalled',
    budget_exhausted: `has exhausted its budget of $${more.budgetUsd ?? '0'}`,
    paused: more.pauseReason === null ? 'had paused itself' : `has paused itself (${more.pauseReason})`,
    regression: `is a regression (${detail?.replace(/\.$/, '') ?? 'worse'})`,
  };
  const ends = Object.entries(more.byEndReason).map(([reason, count]) => `${count} ${reason}`);
  const open = Object.entries(more.byStatus).flatMap(([state, count]) =>
    state === 'ended' ? [] : [`${count} ${state}`],
  );
  const batch = name === null ? batchId : `${name} (${batchId})`;
  const list = [...ends, ...open].join(', ');
  return `Batch ${batch} ${what[kind]}: ${ended} of ${runs} runs, $${costUsd}${list === '' ? '' : `; ${list}`}`;
}
