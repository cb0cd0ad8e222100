import type { Query } from '../../api/index.js';
import { ask } from '../data/ask.js';
import { csvOf, save } from '../parts/save.js';
import type { Run } from './columns.js';

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

export async function saveRuns(
  query: Query<'runs'>,
  format: 'csv' | 'json',
  progress: (runs: number) => void,
): Promise<void> {
  const runs = await allRuns(query, progress);
  if (format === 'json') return save('runs.json', `${JSON.stringify({ runs }, null, 2)}\n`, 'application/json');
  const rows = runs.map(({ flags, ...run }) => ({ ...run, flags: flags.map(({ rule }) => rule).join(' ') }));
  const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  return save(
    'runs.csv',
    csvOf(
      names,
      rows.map((row) => names.map((name) => row[name])),
    ),
    'text/csv',
  );
}
