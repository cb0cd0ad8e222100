import type { Database } from '../../../db/index.js';
import type { HomeLayout } from '../../../domain/home-layout.js';
import { csvText } from '../../../report/csv-text.js';
import type { Bench } from '../../bench.js';
import { findRunOrBatch } from '../../results/find-run-or-batch.js';
import { signedLine } from './line-signature.js';
import type { ExportDocument } from '../../../domain/views/imports.js';
import { ensureHomeKey } from './signing-key.js';
import { EXCHANGE_FORMATS, type ExchangeFormat, isExchange } from './exchange/formats.js';
import { makeTarget, writeNew } from './targets.js';

/** Run directories of MLGym; a signed line of JSON per run, with everything; a table of runs; trajectories of Harbor; logs of Inspect. */
export const EXPORT_FORMATS = ['mlgym', 'jsonl', 'csv', ...EXCHANGE_FORMATS] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
type TextFormat = Exclude<ExportFormat, 'mlgym' | ExchangeFormat>;

/** A batch as text, piece by piece. */
export async function* exportText(
  bench: Bench,
  ref: string | undefined,
  format: TextFormat,
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
  if (isExchange(format)) return exportExchanged(bench, ref, format, output);
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

/** A batch to a folder, or one run to a file. */
async function exportExchanged(
  bench: Bench,
  ref: string | undefined,
  format: ExchangeFormat,
  output: string | undefined,
): Promise<ExportDocument> {
  const { queries, exports } = await bench.database();
  const { writeLogs, writeRunLog, writeTrajectories, atifOf } = await import('./exchange/write-exchanged.js');
  const found = ref === undefined ? null : await findRunOrBatch(bench, ref);
  if (found?.kind === 'run') {
    const { runId, batchId } = found.run;
    const target = output ?? `${runId}.${format === 'atif' ? 'json' : 'eval'}`;
    if (format === 'atif') await writeNew(target, atifOf(bench, runId));
    else await writeRunLog(bench, runId, target);
    return { batchId, format, runs: 1, output: target };
  }
  const { batchId, name, runs } = found?.batch ?? (await queries.findBatch(ref));
  const target = output ?? name ?? batchId;
  const runIds = await exports.runIds(batchId);
  await (format === 'atif' ? writeTrajectories : writeLogs)(bench, runIds, target);
  return { batchId, format, runs, output: target };
}

async function* textOf(
  database: Database,
  batchId: string,
  format: TextFormat,
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
