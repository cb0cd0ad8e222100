import { createHmac } from 'node:crypto';
import type { NotificationBody } from '../../domain/views/notifications.js';
import { BenchError } from '../../domain/errors.js';
import { openUrl } from '../../transport/open-url.js';
import type { Webhook } from './webhook.js';

const TIMEOUT_MS = 10_000;

/**
 * Null: accepted (2xx); else the fault in a line without the address. With a secret, the header
 * `Bench-Signature: t=<seconds>,v1=<hex>` holds the HMAC-SHA256 of `<seconds>.<body>`: the scheme
 * of Stripe's webhooks.
 */
export async function post({ url, format, secret }: Webhook, notification: NotificationBody): Promise<string | null> {
  const body = JSON.stringify(format === 'slack' ? { text: slackText(notification.text) } : notification);
  const seconds = Math.floor(Date.parse(notification.at) / 1000);
  try {
    const response = await openUrl(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'bench',
        'bench-notification-id': notification.id,
        ...(secret !== null && { 'bench-signature': `t=${seconds},v1=${signature(secret, seconds, body)}` }),
      },
      body,
      // If a receiver moves, its owner must set the new address.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    response.destroy();
    const { statusCode = 0 } = response;
    return statusCode >= 200 && statusCode < 300 ? null : `HTTP ${statusCode}`;
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
    if (error instanceof BenchError) return error.message;
    const { code } = error as { code?: string };
    return code ?? 'the connection failed';
  }
}

const signature = (secret: string, seconds: number, body: string): string =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');

/** Slack's three control characters. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
