import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testBody } from '../../../../operations/notify/notification-body.js';
import { post } from '../../../../operations/notify/post.js';
import { type Webhook, webhookOf } from '../../../../operations/notify/webhook.js';
import { receiver } from '../../../setup/receiver.js';

describe('the webhook of the environment', () => {
  it('is none without an address', () => {
    expect(webhookOf({})).toBeNull();
    expect(webhookOf({ BENCH_NOTIFY_URL: ' ', BENCH_NOTIFY_FORMAT: 'slack' })).toBeNull();
  });

  it('gets everything, as JSON, unless told otherwise', () => {
    expect(webhookOf({ BENCH_NOTIFY_URL: 'https://example.org/hook' })).toMatchObject({
      format: 'json',
      on: ['ended', 'stalled', 'budget_exhausted', 'paused', 'regression'],
      stallSeconds: 7200,
      secret: null,
    });
    expect(webhookOf({ BENCH_NOTIFY_URL: 'https://hooks.slack.com/services/T/B/X' })?.format).toBe('slack');
    expect(
      webhookOf({
        BENCH_NOTIFY_URL: 'http://localhost:1/x',
        BENCH_NOTIFY_FORMAT: 'slack',
        BENCH_NOTIFY_ON: 'ended, budget_exhausted',
        BENCH_NOTIFY_STALL: '90m',
        BENCH_NOTIFY_SECRET: 's',
      }),
    ).toMatchObject({ format: 'slack', on: ['ended', 'budget_exhausted'], stallSeconds: 5400, secret: 's' });
  });

  it.each([
    ['BENCH_NOTIFY_URL', 'ftp://example.org'],
    ['BENCH_NOTIFY_URL', 'example.org/hook'],
    ['BENCH_NOTIFY_FORMAT', 'xml'],
    ['BENCH_NOTIFY_ON', 'ended,nothing'],
    ['BENCH_NOTIFY_STALL', 'soon'],
    ['BENCH_NOTIFY_STALL', '5s'],
  ])('is refused with its variable: %s=%s', (name, value) => {
    expect(() => webhookOf({ BENCH_NOTIFY_URL: 'https://example.org/', [name]: value })).toThrow(
      expect.objectContaining({
        type: 'usage',
        exitCode: 2,
        message: expect.stringContaining(name) as string,
      }) as Error,
    );
  });

  it('never shows its address, which lets anybody post', () => {
    try {
      webhookOf({ BENCH_NOTIFY_URL: 'htp://secret.example/T/B/X' });
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('secret');
    }
  });
});

describe('a post', () => {
  let at: Awaited<ReturnType<typeof receiver>>;
  let webhook: Webhook;
  beforeEach(async () => {
    at = await receiver();
    webhook = { url: at.url, format: 'json', on: ['ended'], stallSeconds: 60, secret: null };
  });
  afterEach(() => at.close());
  const body = testBody('n-1', new Date('2026-01-31T12:00:00Z'));

  it('is accepted by any 2xx, and holds the document', async () => {
    at.answers.push(204);
    expect(await post(webhook, body)).toBeNull();
    const [got] = at.received;
    expect(JSON.parse(got?.body ?? '')).toEqual({
      id: 'n-1',
      event: 'test',
      at: '2026-01-31T12:00:00.000Z',
      text: 'bench can reach this webhook',
      batch: null,
    });
    expect(got?.headers).toMatchObject({ 'content-type': 'application/json', 'bench-notification-id': 'n-1' });
    expect(got?.headers['bench-signature']).toBeUndefined();
  });

  it('is signed with the secret', async () => {
    await post({ ...webhook, secret: 'between us' }, body);
    const [got] = at.received;
    const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(got?.headers['bench-signature'])) ?? [];
    expect(hex).toBe(createHmac('sha256', 'between us').update(`${seconds}.${got?.body}`).digest('hex'));
  });

  it('has the shape and the escapes of Slack', async () => {
    await post({ ...webhook, format: 'slack' }, { ...body, text: 'Batch <!channel> & more' });
    expect(JSON.parse(at.received[0]?.body ?? '')).toEqual({ text: 'Batch &lt;!channel&gt; &amp; more' });
  });

  it('tells a refusal, and follows no redirect', async () => {
    at.answers.push(500, 302);
    expect(await post(webhook, body)).toBe('HTTP 500');
    expect(await post(webhook, body)).toBe('HTTP 302');
    expect(at.received).toHaveLength(2);
  });

  it('tells why nobody answers', async () => {
    await at.close();
    expect(await post(webhook, body)).toBe('ECONNREFUSED');
    at = await receiver();
  });
});
