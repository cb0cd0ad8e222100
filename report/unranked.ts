import { fixed, NONE, score, usd } from './numbers.js';
import { methodLabel, type ReportData } from './report-data.js';
import { spendingOf } from './spending.js';
import { type ReportTable, tableOf } from './table.js';
import type { LeaderboardRow } from '../domain/views/leaderboard.js';
import type { ReportRun } from '../domain/views/report.js';

const REASONS: Record<NonNullable<LeaderboardRow['unranked']>, string> = {
  import: 'imported: these runs are from another home',
  isolation: 'played without isolation: the agent could read the answers',
  kind: 'not a model: scripted agents, replays and external players are ranked only on request',
  never_ran: 'no run counts: the infrastructure or a person ended each run before its model replied',
  spoiler: 'submits spoiled solutions: never ranked',
};

/** Null: every row ranks. */
export function unrankedTable({ board, runs }: ReportData): ReportTable | null {
  const rows = board.rows.filter(({ unranked }) => unranked !== null);
  if (rows.length === 0) return null;
  return tableOf(
    'Listed, not ranked',
    [
      { title: 'model', value: (row) => methodLabel(row, board) },
      { title: 'kind', value: ({ kind }) => kind },
      { title: 'why', value: ({ unranked }) => REASONS[unranked!] },
      { title: 'runs (ended/all)', value: (row) => `${row.ended}/${row.attempts}`, align: 'right' },
      {
        title: 'tasks with a score',
        value: (row) => String(Object.values(row.scores).filter(({ best }) => best !== null).length),
        align: 'right',
      },
      { title: 'steps per run', value: (row) => fixed(spendingOf(row, runs).stepsPerRun, 1), align: 'right' },
      { title: '$ per run', value: (row) => usd(spendingOf(row, runs).perRunUsd), align: 'right' },
    ],
    rows,
  );
}

/** Runs with scores outside their task's bounds, and runs that an integrity rule flagged. Null: none. */
export function suspectTable({ board, runs }: ReportData): ReportTable | null {
  const suspect = runs.filter((run) => run.suspect > 0 || run.flags.length > 0);
  if (suspect.length === 0) return null;
  const how = board.comparison.includeSuspect ? 'they count here' : 'they do not count';
  return tableOf<ReportRun>(
    `Suspect runs (scores outside the task's bounds, or integrity flags): ${how}`,
    [
      { title: 'run', value: ({ runId }) => runId },
      { title: 'model', value: (run) => methodLabel(run, board) },
      { title: 'task', value: ({ task }) => task },
      { title: 'rules', value: ({ flags }) => flags.join(', ') || NONE },
      { title: 'suspect', value: (run) => `${run.suspect} of ${run.evaluations} evaluations`, align: 'right' },
      { title: 'best of all', value: ({ bestOfAll }) => score(bestOfAll), align: 'right' },
      { title: 'best that counts', value: ({ best }) => score(best), align: 'right' },
    ],
    suspect,
  );
}
