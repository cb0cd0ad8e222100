import type { Breakdown } from './breakdown-chart.js';
import { methodKey, methodLabel, rankedRows, type ReportData, runsOf } from './report-data.js';
import { styleOf } from './series.js';
import { type ReportTable, tableOf } from './table.js';
import type { LeaderboardRow } from '../domain/views/leaderboard.js';

/** Those that rank, or all if none does. */
export const rowsShown = ({ board }: Pick<ReportData, 'board'>): LeaderboardRow[] => {
  const ranked = rankedRows(board);
  return ranked.length === 0 ? board.rows : ranked;
};

const OUTCOMES = ['complete', 'incomplete', 'failed', 'not recorded'] as const;
const OUTCOME_STYLES = [2, 4, 1, 7];

/** Outcomes of the counted runs. */
export function exitBreakdown(data: ReportData): Breakdown {
  return {
    id: 'exits',
    title: 'How runs ended',
    unit: 'counted runs',
    parts: OUTCOMES.map((label, i) => ({ label, style: styleOf(OUTCOME_STYLES[i]!) })),
    rows: rowsShown(data).map((row) => {
      const runs = runsOf(data.runs, row).filter((run) => run.counted);
      return {
        label: methodLabel(row, data.board),
        amounts: OUTCOMES.map((name) => runs.filter(({ outcome }) => (outcome ?? 'not recorded') === name).length),
      };
    }),
  };
}

/** Counted runs per label; a run may have two. */
export function exitTable(data: ReportData): ReportTable {
  const counted = data.runs.filter((run) => run.counted);
  const labels = [...new Set(counted.flatMap(({ exitLabels }) => exitLabels))].sort();
  const of = (row: LeaderboardRow) => runsOf(data.runs, row).filter((run) => run.counted);
  return tableOf(
    'Runs by exit label',
    [
      { title: 'model', value: (row) => methodLabel(row, data.board) },
      { title: 'runs', value: (row) => String(of(row).length), align: 'right' },
      ...labels.map((label) => ({
        title: label,
        value: (row: LeaderboardRow) => String(of(row).filter(({ exitLabels }) => exitLabels.includes(label)).length),
        align: 'right' as const,
      })),
    ],
    rowsShown(data),
  );
}

const CATEGORIES = ['Edit', 'View', 'Search', 'Python', 'Bash', 'Validate', 'Submit', 'End'] as const;

const stepsOf = (data: ReportData, row: LeaderboardRow, category: string): number =>
  data.actions.find((one) => methodKey(one) === methodKey(row) && one.category === category)?.steps ?? 0;

export function actionBreakdown(data: ReportData): Breakdown {
  return {
    id: 'actions',
    title: 'What steps did',
    unit: 'steps',
    parts: CATEGORIES.map((label, i) => ({ label, style: styleOf(i) })),
    rows: rowsShown(data).map((row) => ({
      label: methodLabel(row, data.board),
      amounts: CATEGORIES.map((category) => stepsOf(data, row, category)),
    })),
  };
}

export const actionTable = (data: ReportData): ReportTable =>
  tableOf(
    'Steps by what they did',
    [
      { title: 'model', value: (row) => methodLabel(row, data.board) },
      ...CATEGORIES.map((category) => ({
        title: category,
        value: (row: LeaderboardRow) => String(stepsOf(data, row, category)),
        align: 'right' as const,
      })),
    ],
    rowsShown(data),
  );
