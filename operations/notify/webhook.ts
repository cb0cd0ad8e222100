import { BenchError } from '../../domain/errors.js';
import {
  NOTIFICATION_FORMATS,
  NOTIFICATION_KINDS,
  type NotificationFormat,
  type NotificationKind,
} from '../../domain/home/notifications.js';
import { duration } from '../../domain/requests/fields.js';
import type { NotificationTest } from '../../domain/views/notifications.js';

export interface Webhook {
  /** Secret: anybody may post to the URL of a chat service. */
  url: URL;
  format: NotificationFormat;
  on: readonly NotificationKind[];
  stallSeconds: number;
  /** Signs posts; null: unsigned. */
  secret: string | null;
}

type Env = Readonly<Record<string, string | undefined>>;
const DEFAULT_STALL_SECONDS = 2 * 3600;

/** Null: none is set. Throws BenchError (usage) that names the variable. */
export function webhookOf(env: Env): Webhook | null {
  const said = (name: string): string | undefined => env[name]?.trim() || undefined;
  const address = said('BENCH_NOTIFY_URL');
  if (address === undefined) return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw wrong('BENCH_NOTIFY_URL', 'is not an http or https address', 'Set it to the whole address of the webhook.');
  return {
    url,
    format: formatOf(said('BENCH_NOTIFY_FORMAT'), url),
    on: kindsOf(said('BENCH_NOTIFY_ON')),
    stallSeconds: secondsOf(said('BENCH_NOTIFY_STALL')),
    secret: said('BENCH_NOTIFY_SECRET') ?? null,
  };
}

/** The webhook without its secrets. */
export const shownWebhook = ({ url, secret, on, ...rest }: Webhook): NotificationTest['webhook'] => ({
  ...rest,
  host: url.host,
  on: [...on],
  signed: secret !== null,
});

function formatOf(said: string | undefined, url: URL): NotificationFormat {
  const format = said ?? (url.hostname === 'hooks.slack.com' ? 'slack' : 'json');
  const known = NOTIFICATION_FORMATS.find((one) => one === format);
  if (known === undefined)
    throw wrong('BENCH_NOTIFY_FORMAT', `is "${format}"`, `Set it to ${NOTIFICATION_FORMATS.join(' or ')}.`);
  return known;
}

function kindsOf(said: string | undefined): readonly NotificationKind[] {
  if (said === undefined) return NOTIFICATION_KINDS;
  return said.split(',').map((text) => {
    const known = NOTIFICATION_KINDS.find((kind) => kind === text.trim());
    if (known === undefined)
      throw wrong('BENCH_NOTIFY_ON', `has "${text.trim()}"`, `It is a list of ${NOTIFICATION_KINDS.join(', ')}.`);
    return known;
  });
}

function secondsOf(said: string | undefined): number {
  if (said === undefined) return DEFAULT_STALL_SECONDS;
  const seconds = duration().safeParse(said);
  if (!seconds.success || seconds.data < 60)
    throw wrong('BENCH_NOTIFY_STALL', `is "${said}"`, 'Set it to a time of at least a minute, such as 90m or 2h.');
  return seconds.data;
}

const wrong = (name: string, what: string, remedy: string): BenchError =>
  new BenchError('usage', `${name} ${what}`, { code: 'setting.invalid', remedy });
