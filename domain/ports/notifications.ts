import type { NotificationKind } from '../home/notifications.js';
import type { NotificationRow } from '../views/notifications.js';

/** A due notification; `tries` includes the coming one. */
export interface DueNotification {
  notificationId: string;
  batchId: string;
  kind: NotificationKind;
  tries: number;
  /** Of a regression: the verdict. */
  detail: string | null;
}

export interface Notifications {
  /** A webhook is set: later events are sent. Idempotent. */
  begin(): Promise<void>;
  /** The webhook was removed: unsent notifications are dropped, and later events are not sent. */
  end(): Promise<void>;
  /** Stores events since `begin`, each once. `stallSeconds`: when a running batch is stalled. */
  collect(of: { kinds: readonly NotificationKind[]; stallSeconds: number }): Promise<void>;
  /** Due ones, at most `most`, reserved for this worker for a minute. */
  take(most: number): Promise<DueNotification[]>;
  sent(notificationId: string): Promise<void>;
  /** Null: never retried. */
  failed(notificationId: string, error: string, retrySeconds: number | null): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<NotificationRow[]>;
}
