import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { seconds, wholeNumber } from '../options.js';
import { oneLine, plural } from '../render/format.js';
import { renderTable } from '../render/table.js';

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 200);
}

export function register(program: Command, context: CliContext): void {
  program
    .command('sql')
    .summary('one read-only query')
    .description(
      'Run one SELECT over the results. It can change nothing. For more, use psql with the address of `bench db url`.',
    )
    .argument('<query>', 'SQL')
    .option('--max-rows <n>', 'at most so many rows', wholeNumber(1, 1_000_000), 10_000)
    .option('--timeout <time>', 'give up after this time', seconds, 60)
    .action(async (query: string, options: { maxRows: number; timeout: number }) => {
      const { output } = context;
      await context.database();
      const { databaseUrl } = await context.services();
      const { runReadOnlyQuery } = await import('../../db/index.js');
      const result = await runReadOnlyQuery(databaseUrl, query, {
        timeoutMs: options.timeout * 1000,
        maxRows: options.maxRows,
      });
      output.json(result);
      const columns = result.columns.map((title, index) => ({ title, value: (row: unknown[]) => cell(row[index]) }));
      output.print(renderTable(result.rows, columns, output.colors));
      const more = result.truncated ? ' shown, there are more (--max-rows)' : '';
      output.print(output.colors.dim(`(${plural(result.rows.length, 'row')}${more})`));
    });
}
