import type { NotificationKind } from '../home/notifications.js';
import type { NotificationRow } from '../views/notifications.js';

/** One that is due; `tries` counts the one to come. */
export interface DueNotification {
  notificationId: string;
  batchId: string;
  kind: NotificationKind;
  tries: number;
}

/** The outbox of notifications. */
export interface Notifications {
  /** A webhook is set: events from now on are sent. Repeating it changes nothing. */
  begin(): Promise<void>;
  /** No webhook is set any more: unsent notifications are dropped, and later events are not sent either. */
  end(): Promise<void>;
  /** Stores what has happened since `begin`, each once. `stallSeconds`: so long nothing moved in a running batch. */
  collect(of: { kinds: readonly NotificationKind[]; stallSeconds: number }): Promise<void>;
  /** Those due, at most `most`, which no other worker gets for a minute. */
  take(most: number): Promise<DueNotification[]>;
  sent(notificationId: string): Promise<void>;
  /** Tried again in `retrySeconds`; null: never. */
  failed(notificationId: string, error: string, retrySeconds: number | null): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<NotificationRow[]>;
}
