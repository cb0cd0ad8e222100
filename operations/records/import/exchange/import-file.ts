import type { RunImports } from '../../../../domain/ports/imports.js';
import { BenchError } from '../../../../domain/errors.js';
import type { ExchangedEnd, ExchangedRecord, WriteExchanged } from '../../../../domain/ports/imports.js';
import type { DirectoryResult } from '../../../../domain/views/imports.js';
import { Remarks } from '../remarks.js';
import { UnreadableFile } from '../unreadable-file.js';

/** A run in another tool's file, read in two passes: what it is, then its steps. */
export interface SourceRun {
  record: ExchangedRecord;
  steps(write: WriteExchanged): Promise<ExchangedEnd>;
}

/** Stores one run: whole, or not at all with a remark that says why. */
export async function importSource(
  database: Pick<RunImports, 'importExchanged'>,
  source: string,
  options: { batch: string; dryRun: boolean },
  tell: (remarks: Remarks) => Promise<SourceRun>,
): Promise<DirectoryResult> {
  const remarks = new Remarks(source);
  let steps = 0;
  const result = (outcome: DirectoryResult['outcome'], runId: string | null): DirectoryResult => ({
    ...{ source, outcome, runId, steps: outcome === 'imported' ? steps : 0, remarks: remarks.all() },
  });
  try {
    const read = await tell(remarks);
    const outcome = await database.importExchanged(read.record, options, async (write) => {
      const end = await read.steps(write);
      steps = end.steps;
      return { end, remarks: remarks.all().map(({ source: _, ...remark }) => remark) };
    });
    if (outcome.kind === 'changed')
      remarks.failed(
        null,
        '',
        'changed',
        `was imported before, as run ${outcome.runId}, with other content, and was left unchanged`,
      );
    if (outcome.kind === 'imported' && outcome.attempt !== read.record.attempt)
      remarks.odd(
        null,
        '',
        'attempt_taken',
        `another run is attempt ${read.record.attempt}: this one is ${outcome.attempt}`,
      );
    return result(outcome.kind, outcome.runId);
  } catch (error) {
    if (error instanceof UnreadableFile) remarks.failed(error.file, error.key, error.kind, error.message);
    else if (error instanceof BenchError && error.type !== 'services')
      remarks.failed(null, '', 'not_stored', [error.message, error.remedy].filter(Boolean).join('. '));
    else throw error;
    return result('failed', null);
  }
}
