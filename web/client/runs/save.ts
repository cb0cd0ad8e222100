import type { Query } from '../../api/index.js';
import { withoutFormula } from '../../../report/csv-formula.js';
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
  const rows = runs.map(({ marks, ...run }) => ({ ...run, marks: marks.map(({ rule }) => rule).join(' ') }));
  const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return save('runs.csv', lines.map((line) => `${line.map(cell).join(',')}\r\n`).join(''), 'text/csv');
}

/** By RFC 4180; what a spreadsheet would run gets an apostrophe. */
const cell = (value: string | number | boolean | null): string =>
  value === null ? '' : typeof value === 'string' ? `"${withoutFormula(value).replaceAll('"', '""')}"` : String(value);
