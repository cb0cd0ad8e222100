import { rowsShown } from './breakdowns.js';
import { count, fixed, NONE, usd } from './numbers.js';
import { methodLabel, type ReportData } from './report-data.js';
import { spendingOf } from './spending.js';
import { type ReportTable, tableOf } from './table.js';

export function spendingTable(data: ReportData): ReportTable {
  const rows = rowsShown(data).map((row) => ({ row, ...spendingOf(row, data.runs) }));
  return tableOf(
    'Cost and tokens',
    [
      { title: 'model', value: ({ row }) => methodLabel(row, data.board) },
      { title: 'runs ended', value: ({ row }) => String(row.ended), align: 'right' },
      { title: 'cost', value: ({ totalUsd }) => usd(totalUsd), align: 'right' },
      { title: '$ per run', value: ({ perRunUsd }) => usd(perRunUsd), align: 'right' },
      { title: 'input tokens', value: ({ inputTokens }) => count(inputTokens), align: 'right' },
      { title: 'output tokens', value: ({ outputTokens }) => count(outputTokens), align: 'right' },
      {
        title: 'tokens per run',
        value: ({ row, inputTokens, outputTokens }) =>
          row.ended === 0 ? NONE : count((inputTokens + outputTokens) / row.ended),
        align: 'right',
      },
      { title: 'steps per run', value: ({ stepsPerRun }) => fixed(stepsPerRun, 1), align: 'right' },
      {
        title: 'prices of',
        value: ({ prices }) =>
          ({ own: 'bench', list: `list ${data.board.comparison.priceList}`, recorded: 'the harness that recorded it' })[
            prices
          ],
      },
    ],
    rows,
  );
}
