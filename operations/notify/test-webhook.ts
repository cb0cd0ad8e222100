import { randomUUID } from 'node:crypto';
import { BenchError } from '../../domain/errors.js';
import type { NotificationTest } from '../../domain/views/notifications.js';
import type { BenchSettings } from '../settings.js';
import { testBody } from './notification-body.js';
import { post } from './post.js';
import { shownWebhook, webhookOf } from './webhook.js';

/** Posts a test to the webhook, once. Throws BenchError (usage): none is set, or it is invalid. */
export async function testWebhook({ settings }: { settings: Pick<BenchSettings, 'env'> }): Promise<NotificationTest> {
  const webhook = webhookOf(settings.env);
  if (webhook === null)
    throw new BenchError('usage', 'no webhook is set', {
      code: 'setting.missing',
      remedy: 'Set BENCH_NOTIFY_URL in the environment or in .env.',
    });
  const error = await post(webhook, testBody(`n-${randomUUID()}`, new Date()));
  return { ok: error === null, webhook: shownWebhook(webhook), error };
}
