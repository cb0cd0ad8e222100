/** What people are notified of: a batch ended, is stalled, exhausted its budget, or paused itself. */
export const NOTIFICATION_KINDS = ['ended', 'stalled', 'budget_exhausted', 'paused'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const NOTIFICATION_FORMATS = ['json', 'slack'] as const;
export type NotificationFormat = (typeof NOTIFICATION_FORMATS)[number];

/** Seconds until the next try after so many: 10 s, doubled each time, an hour at most. */
export const retryAfter = (tries: number): number => Math.min(10 * 2 ** (tries - 1), 3600);
/** A receiver that was away for a night still gets its notifications. */
export const GIVE_UP_SECONDS = 86_400;
