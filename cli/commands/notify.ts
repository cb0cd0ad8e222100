import type { Command } from 'commander';
import { listNotifications } from '../../operations/notify/list.js';
import { testWebhook } from '../../operations/notify/test-webhook.js';
import type { NotificationsDocument, NotificationTest } from '../../domain/views/notifications.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { wholeNumber } from '../options.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';

type Shown = NotificationTest['webhook'];

const webhookLine = ({ host, format, on, signed }: Shown): string =>
  `${host}, as ${format}, ${signed ? 'signed' : 'not signed'}, on ${on.join(', ')}`;

export function register(program: Command, context: CliContext): void {
  const notify = program
    .command('notify')
    .summary('list and test notifications to a webhook')
    .description(
      'List and test notifications: a batch that ends, stalls or meets its budget posts to the webhook of BENCH_NOTIFY_URL.',
    );
  notify
    .command('list', { isDefault: true })
    .summary('list notifications (the default)')
    .description('List the webhook and the latest notifications: sent, waiting for the next try, or abandoned.')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 20)
    .action(async ({ limit }: { limit: number }) => {
      const document = await listNotifications(context, limit);
      context.output.json(document satisfies NotificationsDocument);
      const { webhook, notifications } = document;
      context.output.print(webhook === null ? 'No webhook: set BENCH_NOTIFY_URL.' : `Webhook: ${webhookLine(webhook)}`);
      if (notifications.length === 0) return;
      context.output.print(
        renderTable(
          notifications,
          [
            { title: 'batch', value: (one) => one.batchId },
            { title: 'kind', value: (one) => one.kind },
            { title: 'at', value: (one) => formatTime(one.createdAt) },
            { title: 'state', value: (one) => one.state.replace('_', ' ') },
            { title: 'tries', value: (one) => String(one.tries), align: 'right' },
            { title: 'next try', value: (one) => formatTime(one.dueAt) },
            { title: 'error', value: (one) => one.error ?? '–' },
          ],
          context.output.colors,
        ),
      );
    });
  const test = notify
    .command('test')
    .summary('post a test to the webhook')
    .description('Post a test notification to the webhook, once. Exit code 1 if it is not accepted.')
    .action(async () => {
      const result = await testWebhook(context);
      context.output.json(result satisfies NotificationTest);
      const { colors } = context.output;
      context.output.print(
        `${webhookLine(result.webhook)}: ${result.ok ? colors.green('accepted') : colors.red(result.error ?? 'refused')}`,
      );
      if (!result.ok) context.setExitCode(1);
    });
  addExamples(test, [['bench notify test', 'check whether the webhook of BENCH_NOTIFY_URL accepts it']]);
}
