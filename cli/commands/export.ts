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
import { addExamples } from '../examples.js';
import { plural } from '../../domain/text/format.js';
import type { ExportDocument } from '../../domain/views/imports.js';

interface ExportOptions {
  format: ExportFormat;
  output?: string;
}

async function write(context: CliContext, ref: string | undefined, options: ExportOptions): Promise<void> {
  const { output } = context;
  if (options.format === 'jsonl' && (options.output ?? '-') === '-') {
    // An unknown batch is reported first.
    const { batchId } = await findBatch(context, ref);
    if (output.jsonMode)
      throw new BenchError('usage', 'the export and --json both write to stdout', {
        remedy: 'Write the export to a file with -o.',
      });
    for await (const text of exportText(context, batchId)) output.data(text);
    return;
  }
  const written = await exportBatch(context, ref, options);
  output.json(written satisfies ExportDocument);
  output.print(`${plural(written.runs, 'run')} written to ${written.output}.`);
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('export')
    .summary('write a batch or a run to files')
    .description(
      'Write a batch to files: one signed JSON line per run with all its records, which `bench import jsonl` reads (jsonl); trajectories for Harbor (atif), a file per run; or logs for Inspect (inspect), a file per task, agent and model. The last two also take a single run.',
    )
    .argument(
      '[batch]',
      'id, name, or an unambiguous part of the id, for atif and inspect also of a run; default: the latest batch',
    )
    .addOption(new Option('--format <format>', 'format of the files').choices([...EXPORT_FORMATS]).default('jsonl'))
    .option(
      '-o, --output <path>',
      'file to write, or folder for atif and inspect; default: stdout, or a folder named after the batch',
    )
    .action((ref: string | undefined, options: ExportOptions) => write(context, ref, options));
  addExamples(command, [
    ['bench export spring -o spring.jsonl', 'everything, for bench import jsonl'],
    ['bench export spring --format inspect -o logs/', 'for `inspect view --log-dir logs/`'],
    ['bench export 4f2a --format atif -o run.json', 'one run as an ATIF trajectory'],
  ]);
}
