import type { Database } from '../../../db/index.js';
import type { HomeLayout } from '../../../domain/home-layout.js';
import { csvText } from '../../../report/csv-text.js';
import type { Bench } from '../../bench.js';
import { signedLine } from './line-signature.js';
import type { ExportDocument } from '../../../domain/views/imports.js';
import { ensureHomeKey } from './signing-key.js';
import { makeTarget, writeNew } from './targets.js';

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
