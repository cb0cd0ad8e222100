import type { Query } from '../../api/index.js';
import { ask } from '../data/ask.js';
import type { Run } from './columns.js';

/** All runs of a filter, page by page. */
async function allRuns(query: Query<'runs'>, progress: (runs: number) => void): Promise<Run[]> {
  const runs: Run[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page: { runs: Run[]; next: string | null } = await ask(
      'runs',
      {},
      { ...query, limit: 1000, ...(after === undefined ? {} : { after }) },
    );
    runs.push(...page.runs);
    progress(runs.length);
    after = page.next;
  }
  return runs;
}

/** A file of the browser's own, from what it was told. */
export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export async function saveRuns(
  query: Query<'runs'>,
  format: 'csv' | 'json',
  progress: (runs: number) => void,
): Promise<void> {
  const runs = await allRuns(query, progress);
  if (format === 'json') return save('runs.json', `${JSON.stringify({ runs }, null, 2)}\n`, 'application/json');
  const { csvText } = await import('../../../report/csv-text.js');
  const rows = runs.map(({ marks, ...run }) => ({ ...run, marks: marks.map(({ rule }) => rule).join(' ') }));
  return save('runs.csv', csvText(rows, { header: true }), 'text/csv');
}
