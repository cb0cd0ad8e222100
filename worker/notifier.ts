import type { Database } from '../db/index.js';
import { GIVE_UP_SECONDS, retryAfter } from '../domain/home/notifications.js';
import { notificationBody } from '../operations/notify/notification-body.js';
import { post } from '../operations/notify/post.js';
import type { Webhook } from '../operations/notify/webhook.js';
import type { Logger } from './logger.js';

const AT_ONCE = 10;

/** Retries for a day. A message may arrive twice when a worker dies; its id shows that. */
export function notifier(
  { notifications, queries }: Pick<Database, 'notifications' | 'queries'>,
  webhook: Webhook,
  log: Logger,
): () => Promise<void> {
  return async () => {
    await notifications.collect({ kinds: webhook.on, stallSeconds: webhook.stallSeconds });
    for (const due of await notifications.take(AT_ONCE)) {
      const error = await post(webhook, notificationBody(due, await queries.batchStatus(due.batchId), new Date()));
      if (error === null) {
        await notifications.sent(due.notificationId);
        continue;
      }
      log.warn({ batchId: due.batchId, kind: due.kind, tries: due.tries, error }, 'a notification was not accepted');
      await notifications.failed(due.notificationId, error, nextTry(due.tries));
    }
  };
}

function nextTry(tries: number): number | null {
  let waited = 0;
  for (let nth = 1; nth < tries; nth++) waited += retryAfter(nth);
  return waited >= GIVE_UP_SECONDS ? null : retryAfter(tries);
}
