import { createPublicKey } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { listTasks } from '../../../catalog/index.js';
import { BenchError } from '../../../domain/errors.js';
import type { LinesRequest } from '../../../domain/requests/import.js';
import type { ImportDocument } from '../../../domain/views/imports.js';
import type { Bench } from '../../bench.js';
import { homeKey, readPublicKey } from '../export/signing-key.js';
import { importLines, type LinesOptions } from './import-lines.js';
import { importSummary } from './import-summary.js';
import { UnreadableFile } from './unreadable-file.js';

export interface LinesProgress {
  /** The size of the file, before the first line is read. */
  onOpen: (bytes: number) => void;
  onRun: NonNullable<LinesOptions['onRun']>;
}

/** Imports runs that an export as `jsonl` wrote, here or elsewhere. `trust`: only lines that these public keys, or this home, signed. */
export async function importExported(
  bench: Bench,
  path: string,
  { trust }: LinesRequest,
  { onOpen, onRun }: LinesProgress,
): Promise<ImportDocument> {
  const { settings } = bench;
  const trusted = trust?.map(readPublicKey);
  const own = homeKey(settings.layout);
  const database = await bench.database();
  onOpen((await stat(path).catch(() => null))?.size ?? 0);
  const results = await importLines(database, path, {
    ownKey: own === null ? null : createPublicKey(own),
    trusted,
    contracts: Object.fromEntries(
      listTasks(settings.configFolders).tasks.map(({ task: { spec } }) => [spec.id, spec.contract]),
    ),
    onRun,
  }).catch((cause: unknown) => {
    if (!(cause instanceof UnreadableFile)) throw cause;
    throw new BenchError('usage', `${path}: ${cause.message}`, {
      code: 'import.unreadable',
      remedy: 'Lines before that place were imported.',
      cause,
    });
  });
  return importSummary(results, { batch: 'their batches', dryRun: false, directories: results.length });
}
