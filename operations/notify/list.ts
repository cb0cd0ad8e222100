import type { Notifications } from '../../domain/ports/notifications.js';
import type { NotificationsDocument } from '../../domain/views/notifications.js';
import type { BenchSettings } from '../settings.js';
import { shownWebhook, webhookOf } from './webhook.js';

export interface ListNotificationsPorts {
  notifications: Pick<Notifications, 'list'>;
  settings: Pick<BenchSettings, 'env'>;
}

export async function listNotifications(
  { notifications, settings }: ListNotificationsPorts,
  limit: number,
): Promise<NotificationsDocument> {
  const webhook = webhookOf(settings.env);
  return { webhook: webhook === null ? null : shownWebhook(webhook), notifications: await notifications.list(limit) };
}
