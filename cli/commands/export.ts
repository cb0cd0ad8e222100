import { existsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { Database } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import type { HomeLayout } from '../../domain/home-layout.js';
import type { CliContext } from '../context.js';
import { csvText } from '../../report/csv-text.js';
import { signedLine } from '../../operations/records/export/line-signature.js';
import { ensureHomeKey } from '../../operations/records/export/signing-key.js';
import { makeFolder } from '../../services/make-folder.js';
import { plural } from '../render/format.js';

interface ExportOptions {
  format: 'mlgym' | 'jsonl' | 'csv';
  output?: string;
}

async function* texts(
  database: Database,
  batchId: string,
  format: 'jsonl' | 'csv',
  layout: HomeLayout,
): AsyncGenerator<string> {
  if (format === 'csv') {
    yield csvText(await database.exports.rows(batchId), { header: true });
    return;
  }
  const key = ensureHomeKey(layout);
  for (const runId of await database.exports.runIds(batchId)) {
    yield* signedLine(database.exports.line(runId), key);
    yield '\n';
  }
}

function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new BenchError('usage', `${folder} cannot be written: ${(cause as Error).message}`, {
      remedy: 'Name another folder with -o.',
      cause,
    });
  }
}

async function exportBatch(context: CliContext, ref: string | undefined, options: ExportOptions): Promise<void> {
  const { output, settings } = context;
  const { format } = options;
  const database = await context.database();
  const batch = await database.queries.findBatch(ref);
  const target = options.output ?? (format === 'mlgym' ? (batch.name ?? batch.batchId) : '-');
  if (format === 'mlgym') {
    makeTarget(target);
    const { writeRunDirectory } = await import('../../operations/records/export/write-run-directory.js');
    for (const runId of await database.exports.runIds(batch.batchId)) await writeRunDirectory(database, runId, target);
  } else if (target === '-') {
    if (output.jsonMode)
      throw new BenchError('usage', 'stdout cannot hold both the export and the JSON document', {
        remedy: 'Name a file with -o.',
      });
    for await (const text of texts(database, batch.batchId, format, settings.layout)) output.data(text);
    return;
  } else {
    if (existsSync(target))
      throw new BenchError('usage', `${target} is there already`, { remedy: 'Name another file with -o.' });
    const file = await open(`${target}.partial`, 'w').catch((cause: unknown) => {
      throw new BenchError('usage', `${target} cannot be written: ${(cause as Error).message}`, {
        remedy: 'Name another file with -o, or make its folder first.',
        cause,
      });
    });
    try {
      for await (const text of texts(database, batch.batchId, format, settings.layout)) await file.write(text);
    } finally {
      await file.close();
    }
    await rename(`${target}.partial`, target);
  }
  output.json({ batchId: batch.batchId, format, runs: batch.runs, output: target });
  output.print(`${plural(batch.runs, 'run')} written to ${target}.`);
}

export function register(program: Command, context: CliContext): void {
  program
    .command('export')
    .summary('a batch as files')
    .description(
      'Write a batch to files that are read without bench: run directories of MLGym; a line of JSON per run with everything, signed by this home (`bench import jsonl` takes it back); or a table of runs.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest')
    .addOption(new Option('--format <format>', 'what to write').choices(['mlgym', 'jsonl', 'csv']).default('jsonl'))
    .option(
      '-o, --output <path>',
      'file, or of mlgym folder; default: stdout, or of mlgym a folder named after the batch',
    )
    .action((ref: string | undefined, options: ExportOptions) => exportBatch(context, ref, options));
}
