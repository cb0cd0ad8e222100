import type { Exports } from '../../../domain/ports/exports.js';
import type { BatchReads } from '../../../domain/ports/reading/batches.js';
import { findRunOrBatch } from '../../results/find-run-or-batch.js';
import type { BenchSettings } from '../../settings.js';
import { signedLine } from './line-signature.js';
import type { ExportDocument } from '../../../domain/views/imports.js';
import { ensureHomeKey } from './signing-key.js';
import { EXCHANGE_FORMATS, type ExchangeFormat, isExchange } from './exchange/formats.js';
import type { LogPorts } from './exchange/write-exchanged.js';
import { writeNew } from './targets.js';

/** A signed line of JSON per run, with everything; trajectories of Harbor; logs of Inspect. */
export const EXPORT_FORMATS = ['jsonl', ...EXCHANGE_FORMATS] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportTextPorts {
  settings: Pick<BenchSettings, 'layout'>;
  queries: Pick<BatchReads, 'findBatch'>;
  exports: Pick<Exports, 'runIds' | 'line'>;
}
type ExchangePorts = LogPorts &
  Parameters<typeof findRunOrBatch>[0] & {
    queries: Pick<BatchReads, 'findBatch'>;
    exports: Pick<Exports, 'runIds'>;
  };
export type ExportPorts = ExportTextPorts & ExchangePorts;

/** A batch as lines of JSON, piece by piece. */
export async function* exportText(
  ports: ExportTextPorts,
  ref: string | undefined,
): AsyncGenerator<string, void, undefined> {
  const { batchId } = await ports.queries.findBatch(ref);
  yield* linesOf(ports, batchId);
}

/** Writes a batch to a new file or a folder; omitted: one named after the batch. */
export async function exportBatch(
  ports: ExportPorts,
  ref: string | undefined,
  { format, output }: { format: ExportFormat; output?: string | undefined },
): Promise<ExportDocument> {
  if (isExchange(format)) return exportExchanged(ports, ref, format, output);
  const { batchId, name, runs } = await ports.queries.findBatch(ref);
  const target = output ?? `${name ?? batchId}.${format}`;
  await writeNew(target, linesOf(ports, batchId));
  return { batchId, format, runs, output: target };
}

/** A batch to a folder, or one run to a file. */
async function exportExchanged(
  ports: ExchangePorts,
  ref: string | undefined,
  format: ExchangeFormat,
  output: string | undefined,
): Promise<ExportDocument> {
  const { writeLogs, writeRunLog, writeTrajectories, atifOf } = await import('./exchange/write-exchanged.js');
  const found = ref === undefined ? null : await findRunOrBatch(ports, ref);
  if (found?.kind === 'run') {
    const { runId, batchId } = found.run;
    const target = output ?? `${runId}.${format === 'atif' ? 'json' : 'eval'}`;
    if (format === 'atif') await writeNew(target, atifOf(ports, runId));
    else await writeRunLog(ports, runId, target);
    return { batchId, format, runs: 1, output: target };
  }
  const { batchId, name, runs } = found?.batch ?? (await ports.queries.findBatch(ref));
  const target = output ?? name ?? batchId;
  const runIds = await ports.exports.runIds(batchId);
  await (format === 'atif' ? writeTrajectories : writeLogs)(ports, runIds, target);
  return { batchId, format, runs, output: target };
}

async function* linesOf(
  { settings, exports }: Pick<ExportTextPorts, 'settings' | 'exports'>,
  batchId: string,
): AsyncGenerator<string, void, undefined> {
  const key = ensureHomeKey(settings.layout);
  for (const runId of await exports.runIds(batchId)) {
    yield* signedLine(exports.line(runId), key);
    yield '\n';
  }
}
