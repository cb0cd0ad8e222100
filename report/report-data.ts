import type { ActionCount, ReportRun, ReportTree } from '../domain/views/report.js';
import type { PolicyMetrics } from '../domain/views/training.js';
import type { Leaderboard, LeaderboardRow } from '../domain/views/leaderboard.js';

/** A report's content, for any format. */
export interface ReportData {
  /** What is compared, in a few words. */
  subject: string;
  /** ISO 8601. */
  generatedAt: string;
  harnessVersion: string;
  /** What AUP's intervals resample: tasks or attempts. */
  over: 'tasks' | 'attempts';
  board: Leaderboard;
  /** Every run of the leaderboard's models and tasks, by task, model, attempt. */
  runs: ReportRun[];
  /** Of the runs that count. */
  actions: ActionCount[];
  /** Those of the runs that played trees of forks. */
  trees: ReportTree[];
  /** Of a training batch, by policy version; null: none is reported on. */
  training: PolicyMetrics[] | null;
  /** Where an exported page has the runs, as a link from the report; absent: nowhere. */
  page?: string | undefined;
}

type Method = Pick<LeaderboardRow, 'model' | 'kind' | 'isolation'>;

const indexes = new WeakMap<readonly ReportRun[], Map<string, ReportRun[]>>();

/** The runs of a leaderboard row, in order, optionally of one task. Indexed, since a report may hold thousands. */
export function runsOf(runs: readonly ReportRun[], row: Method, task?: string): readonly ReportRun[] {
  let index = indexes.get(runs);
  if (index === undefined) {
    index = new Map();
    for (const run of runs)
      for (const key of [methodKey(run), `${methodKey(run)} ${run.task}`]) {
        const known = index.get(key);
        if (known === undefined) index.set(key, [run]);
        else known.push(run);
      }
    indexes.set(runs, index);
  }
  return index.get(task === undefined ? methodKey(row) : `${methodKey(row)} ${task}`) ?? [];
}

export const methodKey = ({ model, kind, isolation }: Method): string => JSON.stringify([model, kind, isolation]);

/** A model's name, with what distinguishes rows of the same name. */
export function methodLabel(row: Method, { rows }: Pick<ReportData['board'], 'rows'>): string {
  const namesakes = rows.filter(({ model }) => model === row.model);
  const apart = [
    ...(namesakes.some(({ kind }) => kind !== row.kind) ? [row.kind] : []),
    ...(namesakes.some(({ isolation }) => isolation !== row.isolation)
      ? [{ none: 'no isolation', container: 'container', import: 'imported' }[row.isolation]]
      : []),
  ];
  return apart.length === 0 ? row.model : `${row.model} (${apart.join(', ')})`;
}

export const rankedRows = ({ rows }: Pick<ReportData['board'], 'rows'>): LeaderboardRow[] =>
  rows.filter(({ unranked }) => unranked === null);

/** The kind of score that orders the rows. */
export const kindOf = ({ comparison }: Pick<ReportData['board'], 'comparison'>): 'best' | 'last' =>
  comparison.metric === 'best-submission' ? 'last' : 'best';
