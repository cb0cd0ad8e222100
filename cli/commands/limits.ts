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

/** `570 learned`, `97 declared`, `–`: the limit per minute and its source. */
function limitText(account: RateAccountRow, one: Dimension): string {
  const effective = account.effective[one];
  if (effective === null) return '–';
  const said = account.set[one] === null ? 'declared' : 'set';
  return `${effective} ${account.learned[one] !== null && account.learned[one] <= effective ? 'learned' : said}`;
}

export function register(program: Command, context: CliContext): void {
  const limits = program
    .command('limits')
    .summary('list and set rate limits of providers')
    .description('List and set the rate limits of model providers, shared by all workers.');
  limits
    .command('list', { isDefault: true })
    .summary('list accounts (the default)')
    .description('List provider accounts: limits per minute, use in the last minute, waiting runs, and refusals.')
    .action(async () => {
      const accounts = await listLimits(context);
      context.output.json({ accounts } satisfies LimitsDocument);
      if (accounts.length === 0) return context.output.print('No provider has been called yet.');
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
          { title: 'blocked until', value: (one) => formatTime(one.blockedUntil) },
        ],
        context.output.colors,
      );
      context.output.print(table);
      for (const { account, reservationFactors } of accounts)
        for (const [model, factor] of Object.entries(reservationFactors))
          context.output.print(
            `${model} at ${account} billed more than estimated: its calls now reserve ${factor} times their estimate.`,
          );
    });
  limits
    .command('set')
    .summary('set the limits of an account')
    .description(
      'Set the limits of an account per minute, for all workers together. They replace those that its models declare.',
    )
    .argument('<account>', 'name of the account, as in `bench limits`')
    .option('--rpm <n>', 'requests per minute', wholeNumber(1))
    .option('--tpm <n>', 'tokens per minute, input and output', wholeNumber(1))
    .action(async (account: string, options: { rpm?: number; tpm?: number }) => {
      show(context, account, await setLimits(context, account, options), 'is set');
    });
  limits
    .command('reset')
    .summary('reset the limits of an account')
    .description(
      'Delete the limits that were set, or learned from refusals and bills. The limits that the models declare apply again.',
    )
    .argument('<account>', 'name of the account, as in `bench limits`')
    .action(async (account: string) => {
      show(context, account, await resetLimits(context, account), 'is reset');
    });
}

function show(context: CliContext, account: string, row: RateAccountRow | null, what: string): void {
  context.output.json({ account: row } satisfies ChangedLimits);
  const { requests = null, tokens = null } = row?.effective ?? {};
  const of = (n: number | null): string => (n === null ? 'unlimited' : String(n));
  context.output.print(`${account} ${what}: ${of(requests)} requests and ${of(tokens)} tokens per minute.`);
}
