import { existsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import type { Database } from '../../../db/index.js';
import { BenchError } from '../../../domain/errors.js';
import type { HomeLayout } from '../../../domain/home-layout.js';
import { csvText } from '../../../report/csv-text.js';
import { makeFolder } from '../../../services/make-folder.js';
import type { Bench } from '../../bench.js';
import { signedLine } from './line-signature.js';
import type { ExportDocument } from '../../../domain/views/imports.js';
import { ensureHomeKey } from './signing-key.js';

/** Run directories of MLGym; a signed line of JSON per run, with everything; or a table of runs. */
export const EXPORT_FORMATS = ['mlgym', 'jsonl', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A batch as text, piece by piece. */
export async function* exportText(
  bench: Bench,
  ref: string | undefined,
  format: Exclude<ExportFormat, 'mlgym'>,
): AsyncGenerator<string, void, undefined> {
  const database = await bench.database();
  const { batchId } = await database.queries.findBatch(ref);
  yield* textOf(database, batchId, format, bench.settings.layout);
}

/** Writes a batch to a new file, or as run directories to a folder; left out: one named after the batch. */
export async function exportBatch(
  bench: Bench,
  ref: string | undefined,
  { format, output }: { format: ExportFormat; output?: string | undefined },
): Promise<ExportDocument> {
  const database = await bench.database();
  const { batchId, name, runs } = await database.queries.findBatch(ref);
  const label = name ?? batchId;
  const target = output ?? (format === 'mlgym' ? label : `${label}.${format}`);
  if (format === 'mlgym') {
    makeTarget(target);
    const { writeRunDirectory } = await import('./write-run-directory.js');
    for (const runId of await database.exports.runIds(batchId)) await writeRunDirectory(database, runId, target);
  } else await writeNew(target, textOf(database, batchId, format, bench.settings.layout));
  return { batchId, format, runs, output: target };
}

async function* textOf(
  database: Database,
  batchId: string,
  format: Exclude<ExportFormat, 'mlgym'>,
  layout: HomeLayout,
): AsyncGenerator<string, void, undefined> {
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

/** The file has its name only once it is whole. */
async function writeNew(target: string, texts: AsyncIterable<string>): Promise<void> {
  if (existsSync(target))
    throw new BenchError('usage', `${target} already exists`, {
      code: 'file.exists',
      remedy: 'Choose another file.',
      fields: { output: '<path>' },
    });
  const file = await open(`${target}.partial`, 'w').catch((cause: unknown) => {
    throw new BenchError('usage', `${target} cannot be written: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Choose another file, or create its folder first.',
      fields: { output: '<path>' },
      cause,
    });
  });
  try {
    for await (const text of texts) await file.write(text);
  } finally {
    await file.close();
  }
  await rename(`${target}.partial`, target);
}

function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new BenchError('usage', `${folder} cannot be written: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Choose another folder.',
      fields: { output: '<path>' },
      cause,
    });
  }
}
