import { writeFile } from 'node:fs/promises';
import { BenchError } from '../../../domain/errors.js';
import type { DirectoryResult, ImportDocument } from '../../../domain/views/imports.js';

/** Directories that were not read are not reached. */
export function importSummary(
  results: DirectoryResult[],
  of: { batch: string; dryRun: boolean; directories: number },
): ImportDocument {
  const count = (outcome: DirectoryResult['outcome']): number =>
    results.filter((one) => one.outcome === outcome).length;
  return {
    ...of,
    imported: count('imported'),
    existing: count('existing'),
    changed: count('changed'),
    failed: count('failed'),
    notReached: of.directories - results.length,
    steps: results.reduce((sum, { steps }) => sum + steps, 0),
    results,
  };
}

/** The import is complete by then, even if this fails. */
export async function writeImportSummary(path: string, summary: ImportDocument): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(summary, null, 2)}\n`);
  } catch (cause) {
    throw new BenchError('failed', `the report could not be written to ${path}`, {
      code: 'file.unwritable',
      remedy:
        'The import itself is done. Run it again with another report file; remarks about runs already imported will be missing.',
      fields: { report: true },
      cause,
    });
  }
}
