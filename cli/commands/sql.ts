import { plural } from '../../domain/text/format.js';
import type { Command } from 'commander';
import { sqlRequestSchema } from '../../domain/requests/reading.js';
import { sql } from '../../operations/results/sql.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { BenchError } from '../../domain/errors.js';
import { renderCsv } from '../render/csv.js';
import { oneLine } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';
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
      'Run one SELECT over the results; the query cannot change anything. See docs/reference/schema.md for tables and docs/reference/queries.md for examples. For more, use psql with the address that `bench db url` prints.',
    )
    .argument('<query>', 'one SELECT');
  for (const option of requestOptions(sqlRequestSchema.shape)) command.addOption(option);
  command
    .option('--csv', 'print CSV with a header line')
    .action(async (query: string, options: Record<string, unknown>) => {
      const { output } = context;
      const csv = options['csv'] === true;
      if (csv && output.jsonMode)
        throw new BenchError('usage', '--csv and --json cannot be combined', { remedy: 'Choose one of them.' });
      const result = await sql(context, query, requestFields(sqlRequestSchema.shape, options));
      output.json(result satisfies QueryResult);
      if (csv) {
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
