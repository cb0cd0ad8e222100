import type { Command } from 'commander';
import { sql } from '../../operations/results/sql.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { BenchError } from '../../domain/errors.js';
import { seconds, wholeNumber } from '../options.js';
import { renderCsv } from '../render/csv.js';
import { oneLine, plural } from '../render/format.js';
import { renderTable } from '../render/table.js';
import type { QueryResult } from '../../domain/views/database.js';

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 200);
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('sql')
    .summary('run a read-only query')
    .description(
      'Run one SELECT over the results; it cannot change anything. See docs/reference/schema.md for tables and docs/reference/queries.md for examples. For more, use psql with the address that `bench db url` prints.',
    )
    .argument('<query>', 'one SELECT')
    .option('--max-rows <n>', 'number of rows to print at most', wholeNumber(1, 1_000_000), 10_000)
    .option('--timeout <time>', 'time limit, such as 90s or 2m', seconds, 60)
    .option('--csv', 'print CSV with a header line')
    .action(async (query: string, options: { maxRows: number; timeout: number; csv?: true }) => {
      const { output } = context;
      if (options.csv === true && output.jsonMode)
        throw new BenchError('usage', '--csv and --json cannot be combined', { remedy: 'Choose one of them.' });
      const result = await sql(context, query, {
        timeoutMs: options.timeout * 1000,
        maxRows: options.maxRows,
      });
      output.json(result satisfies QueryResult);
      if (options.csv === true) {
        output.data(renderCsv(result.columns, result.rows));
        if (result.truncated)
          output.log(`Cut after ${plural(result.rows.length, 'row')}: there are more (--max-rows).`);
        return;
      }
      const columns = result.columns.map((title, index) => ({ title, value: (row: unknown[]) => cell(row[index]) }));
      output.print(renderTable(result.rows, columns, output.colors));
      const more = result.truncated ? ' shown, there are more (--max-rows)' : '';
      output.print(output.colors.dim(`(${plural(result.rows.length, 'row')}${more})`));
    });
  addExamples(command, [
    ["bench sql 'select model_name, count(*) from runs group by 1'", 'runs per model'],
    ["bench sql 'select * from run_scores' --csv", 'as CSV'],
  ]);
}
