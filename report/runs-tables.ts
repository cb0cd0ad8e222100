import { count, NONE, score, usd } from './numbers.js';
import { methodLabel, type ReportData, runsOf } from './report-data.js';
import { type ReportTable, tableOf } from './table.js';
import type { LeaderboardRow, LeaderboardTask } from '../domain/views/leaderboard.js';
import type { ReportRun } from '../domain/views/report.js';

/** The runs behind one score of the leaderboard. */
interface RunsOfCell {
  model: string;
  /** Runs that the table leaves out. */
  left: number;
  summary: string;
  table: ReportTable;
}

export interface RunsOfTask {
  task: LeaderboardTask;
  cells: RunsOfCell[];
}

/** Runs of one cell, and of all cells together, that a page shows: browsers are slow with more. */
const MOST_OF_CELL = 20;
const MOST_OF_PAGE = 20_000;
const FEWEST_OF_CELL = 2;

/** How many runs of each cell a page has room for. */
export function runsPerCell({ board }: Pick<ReportData, 'board'>): number {
  const cells = board.rows.length * board.tasks.length;
  return Math.min(MOST_OF_CELL, Math.max(FEWEST_OF_CELL, Math.floor(MOST_OF_PAGE / cells)));
}

/** `most`: so many runs of each cell, and those that give its scores; the others are counted. Default: all. */
export function runsByTask(data: ReportData, most = Infinity): RunsOfTask[] {
  const { board, runs } = data;
  return board.tasks.map((task) => ({
    task,
    cells: board.rows.flatMap((row) => {
      const own = runsOf(runs, row, task.task);
      return own.length === 0 ? [] : [runsOfCell(data, row, task, own, most)];
    }),
  }));
}

function runsOfCell(
  { board, page }: ReportData,
  row: LeaderboardRow,
  { task }: LeaderboardTask,
  runs: readonly ReportRun[],
  most: number,
): RunsOfCell {
  const cell = row.scores[task];
  const shown = runs.filter(({ runId }, i) => i < most || runId === cell?.bestRun || runId === cell?.lastRun);
  const model = methodLabel(row, board);
  const notes = (run: ReportRun): string =>
    [
      ...(run.runId === cell?.bestRun ? ['gives the best attempt'] : []),
      ...(run.runId === cell?.lastRun ? ['gives the best submission'] : []),
      ...(run.suspect > 0 ? [`${run.suspect} suspect`] : []),
      ...run.flags,
      ...(run.superseded
        ? ['repeated by another run']
        : run.status === 'ended' && !run.counted
          ? ['does not count']
          : []),
    ].join(', ');
  return {
    model,
    left: runs.length - shown.length,
    summary:
      `best ${score(cell?.best)}${cell?.bestRun == null ? '' : ` (${cell.bestRun})`}, ` +
      `last ${score(cell?.last)}${cell?.lastRun == null ? '' : ` (${cell.lastRun})`}; ` +
      `${cell?.attempts ?? 0} attempts, ${cell?.counted ?? 0} count, ${cell?.scored ?? 0} with a score`,
    table: tableOf(
      `Runs of ${model} at ${task}`,
      [
        {
          title: 'run',
          value: ({ runId }) => runId,
          ...(page !== undefined && { link: ({ runId }: ReportRun) => `${page}#/runs/${runId}` }),
        },
        { title: 'attempt', value: ({ attempt }) => String(attempt), align: 'right' },
        { title: 'best', value: ({ best }) => score(best), align: 'right' },
        { title: 'last', value: ({ last }) => score(last), align: 'right' },
        { title: 'steps', value: ({ steps }) => String(steps), align: 'right' },
        { title: 'cost', value: ({ costUsd }) => usd(costUsd === null ? null : Number(costUsd)), align: 'right' },
        { title: 'tokens', value: (run) => count(run.inputTokens + run.outputTokens), align: 'right' },
        {
          title: 'end',
          value: ({ exitStatus, endReason, status }) =>
            exitStatus ?? (status === 'ended' ? (endReason ?? NONE) : status),
        },
        { title: 'notes', value: notes },
      ],
      shown,
    ),
  };
}
