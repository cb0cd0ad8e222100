import { createPublicKey } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { listTasks } from '../../../catalog/index.js';
import { BenchError } from '../../../domain/errors.js';
import type { LinesRequest } from '../../../domain/requests/import.js';
import type { ImportDocument } from '../../../domain/views/imports.js';
import type { BenchSettings } from '../../settings.js';
import { homeKey, readPublicKey } from '../export/signing-key.js';
import { importLines, type LinesOptions, type LinesPorts } from './import-lines.js';
import { importSummary } from './import-summary.js';
import { UnreadableFile } from './unreadable-file.js';

export type ImportExportedPorts = LinesPorts & {
  settings: Pick<BenchSettings, 'layout' | 'configFolders'>;
  databaseUrl: () => Promise<string>;
};

export interface LinesProgress {
  /** The size of the file, before the first line is read. */
  onOpen: (bytes: number) => void;
  onRun: NonNullable<LinesOptions['onRun']>;
}

/** Imports runs from a `jsonl` export. `trust`: only lines signed by these keys or by this home. */
export async function importExported(
  { settings, databaseUrl, exports }: ImportExportedPorts,
  path: string,
  { trust }: LinesRequest,
  { onOpen, onRun }: LinesProgress,
): Promise<ImportDocument> {
  const trusted = trust?.map(readPublicKey);
  const own = homeKey(settings.layout);
  // An unavailable database fails here, instead of once per line.
  await databaseUrl();
  onOpen((await stat(path).catch(() => null))?.size ?? 0);
  const results = await importLines({ exports }, path, {
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
