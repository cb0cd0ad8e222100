export const NOTIFICATION_KINDS = ['ended', 'stalled', 'budget_exhausted', 'paused', 'regression'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const NOTIFICATION_FORMATS = ['json', 'slack'] as const;
export type NotificationFormat = (typeof NOTIFICATION_FORMATS)[number];

/** Seconds until the next try: 10 s, doubled each time, at most an hour. */
export const retryAfter = (tries: number): number => Math.min(10 * 2 ** (tries - 1), 3600);
/** A receiver may be down for a night. */
export const GIVE_UP_SECONDS = 86_400;
