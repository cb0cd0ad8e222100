import type { Command } from 'commander';
import type { Dimension } from '../../domain/rate-limits/account-state.js';
import { listLimits } from '../../operations/home/limits/list.js';
import { resetLimits } from '../../operations/home/limits/reset.js';
import { setLimits } from '../../operations/home/limits/set.js';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';
import type { ChangedLimits, LimitsDocument, RateAccountRow } from '../../domain/views/rate-accounts.js';

/** `570 learned`, `97 declared`, `–`: what is granted a minute, and whose word that is. */
function limitText(account: RateAccountRow, one: Dimension): string {
  const granted = account.granted[one];
  if (granted === null) return '–';
  const said = account.set[one] === null ? 'declared' : 'set';
  return `${granted} ${account.learned[one] !== null && account.learned[one] <= granted ? 'learned' : said}`;
}

export function register(program: Command, context: CliContext): void {
  const limits = program
    .command('limits')
    .summary('rates of calls to providers')
    .description('The rates at which calls to providers are granted, for all workers: list and set them.');
  limits
    .command('list', { isDefault: true })
    .summary('each account (the default)')
    .description(
      'List the provider accounts: what is granted a minute, what was granted in the last one, who waits, and refusals.',
    )
    .action(async () => {
      const accounts = await listLimits(context);
      context.output.json({ accounts } satisfies LimitsDocument);
      if (accounts.length === 0) return context.output.print('No provider was called yet.');
      const table = renderTable(
        accounts,
        [
          { title: 'account', value: (one) => one.account },
          { title: 'requests/min', value: (one) => limitText(one, 'requests'), align: 'right' },
          { title: 'tokens/min', value: (one) => limitText(one, 'tokens'), align: 'right' },
          {
            title: 'last minute',
            value: (one) => `${one.lastMinute.requests} / ${one.lastMinute.tokens}`,
            align: 'right',
          },
          { title: 'waiting', value: (one) => String(one.waiting), align: 'right' },
          { title: 'since', value: (one) => formatTime(one.waitingSince) },
          { title: '429s in an hour', value: (one) => String(one.refusedLastHour), align: 'right' },
          { title: 'quiet until', value: (one) => formatTime(one.quietUntil) },
        ],
        context.output.colors,
      );
      context.output.print(table);
      for (const { account, reservationFactors } of accounts)
        for (const [model, factor] of Object.entries(reservationFactors))
          context.output.print(
            `${model} at ${account} has billed more than it was asked for: its calls set aside ${factor} times their estimate.`,
          );
    });
  limits
    .command('set')
    .summary('limits of an account')
    .description('Set what an account may do in a minute, over all workers, instead of what its models declare.')
    .argument('<account>', 'as `bench limits` names it')
    .option('--rpm <n>', 'requests per minute', wholeNumber(1))
    .option('--tpm <n>', 'tokens per minute, in and out', wholeNumber(1))
    .action(async (account: string, options: { rpm?: number; tpm?: number }) => {
      show(context, account, await setLimits(context, account, options), 'is set');
    });
  limits
    .command('reset')
    .summary('forget what was set and learned')
    .description(
      'Forget what was set for an account and what was learned from refusals and dear answers; what its models declare holds again.',
    )
    .argument('<account>', 'as `bench limits` names it')
    .action(async (account: string) => {
      show(context, account, await resetLimits(context, account), 'is reset');
    });
}

function show(context: CliContext, account: string, row: RateAccountRow | null, what: string): void {
  context.output.json({ account: row } satisfies ChangedLimits);
  const { requests = null, tokens = null } = row?.granted ?? {};
  const of = (n: number | null): string => (n === null ? 'any number of' : String(n));
  context.output.print(`${account} ${what}: ${of(requests)} requests and ${of(tokens)} tokens are granted a minute.`);
}
