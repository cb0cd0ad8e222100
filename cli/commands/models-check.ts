import type { Command } from 'commander';
import { PRICES_CURRENT_DAYS } from '../../domain/model/price.js';
import type { PricesCheck, PricesChecksDocument } from '../../domain/views/catalog.js';
import { checkPrices } from '../../operations/catalog/check-prices.js';
import type { CliContext } from '../context.js';
import { renderTable } from '../render/table.js';

const PROBLEMS: Record<PricesCheck['problem'], string> = {
  missing: 'no price',
  not_begun: 'begins later',
  unchecked: 'not compared',
  old: `older than ${PRICES_CURRENT_DAYS} days`,
};

export function register(models: Command, context: CliContext): void {
  models
    .command('check')
    .summary('list models without a current price')
    .description(
      `List models without a current price: none, none yet, or one not compared with the provider's list in the last ${PRICES_CURRENT_DAYS} days (\`pricesChecked\` of the model's file). Asks no provider. Exit code 1 if there is one.`,
    )
    .action(() => {
      const { output, settings } = context;
      const found = checkPrices(settings, new Date());
      output.json({ ok: found.length === 0, models: found } satisfies PricesChecksDocument);
      if (found.length === 0) return output.print('All models have a current price.');
      output.print(
        renderTable(
          found,
          [
            { title: 'model', value: ({ model }) => model },
            { title: 'price from', value: ({ from }) => from ?? '–' },
            { title: 'compared', value: ({ checked }) => checked ?? '–' },
            { title: 'problem', value: ({ problem }) => PROBLEMS[problem] },
          ],
          output.colors,
        ),
      );
      output.print(
        "Compare these prices with the provider's list, then write the day into the model's file: pricesChecked: YYYY-MM-DD.",
      );
      context.setExitCode(1);
    });
}
