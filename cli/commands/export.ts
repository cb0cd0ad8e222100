import { type Command, Option } from 'commander';
import { BenchError } from '../../domain/errors.js';
import {
  EXPORT_FORMATS,
  exportBatch,
  type ExportFormat,
  exportText,
} from '../../operations/records/export/export-batch.js';
import { findBatch } from '../../operations/results/find-batch.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import type { ExportDocument } from '../../domain/views/imports.js';

interface ExportOptions {
  format: ExportFormat;
  output?: string;
}

async function write(context: CliContext, ref: string | undefined, options: ExportOptions): Promise<void> {
  const { output } = context;
  const { format } = options;
  if (format !== 'mlgym' && (options.output ?? '-') === '-') {
    // A batch that there is not is the first thing to know.
    const { batchId } = await findBatch(context, ref);
    if (output.jsonMode)
      throw new BenchError('usage', 'stdout cannot hold both the export and the JSON document', {
        remedy: 'Name a file with -o.',
      });
    for await (const text of exportText(context, batchId, format)) output.data(text);
    return;
  }
  const written = await exportBatch(context, ref, options);
  output.json(written satisfies ExportDocument);
  output.print(`${plural(written.runs, 'run')} written to ${written.output}.`);
}

export function register(program: Command, context: CliContext): void {
  program
    .command('export')
    .summary('a batch as files')
    .description(
      'Write a batch to files that are read without bench: run directories of MLGym; a line of JSON per run with everything, signed by this home (`bench import jsonl` takes it back); or a table of runs.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest')
    .addOption(new Option('--format <format>', 'what to write').choices([...EXPORT_FORMATS]).default('jsonl'))
    .option(
      '-o, --output <path>',
      'file, or of mlgym folder; default: stdout, or of mlgym a folder named after the batch',
    )
    .action((ref: string | undefined, options: ExportOptions) => write(context, ref, options));
}
