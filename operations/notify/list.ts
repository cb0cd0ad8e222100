import type { NotificationsDocument } from '../../domain/views/notifications.js';
import type { Bench } from '../bench.js';
import { shownWebhook, webhookOf } from './webhook.js';

/** The webhook, and the latest notifications with what became of them. */
export async function listNotifications(bench: Bench, limit: number): Promise<NotificationsDocument> {
  const webhook = webhookOf(bench.settings.env);
  const { notifications } = await bench.database();
  return { webhook: webhook === null ? null : shownWebhook(webhook), notifications: await notifications.list(limit) };
}
