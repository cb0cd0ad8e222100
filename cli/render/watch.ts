import type { Colors } from 'picocolors/types.js';
import { expectations, forecast, leftOfRun } from '../../operations/results/forecast.js';
import { episodesLine } from './batch-state.js';
import { batchHeadline } from './batch.js';
import { formatDuration, formatScore, formatUsd } from '../../domain/text/format.js';
import { runColumns } from './runs.js';
import { type Column, renderTable } from './table.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';

/** Above this many runs, a batch has a line per model and task. */
export const MOST_LISTED_RUNS = 100;

const count = (runs: readonly RunSummary[], of: (run: RunSummary) => boolean): number => runs.filter(of).length;
const isFault = (run: RunSummary): boolean => run.endReason === 'infra_error' || run.endReason === 'config_error';
const about = (ms: number): string => formatDuration(Math.ceil(ms / 1000) * 1000);

export function watchHeadline(report: BatchStatusReport, colors: Colors, now: Date = new Date()): string {
  const { runList } = report;
  const running = count(runList, ({ status }) => ['starting', 'running', 'finishing'].includes(status));
  const waiting = count(runList, ({ status }) => status === 'waiting_gpu');
  const faults = count(runList, isFault);
  const { remainingMs, expectedUsd } = forecast(runList, report.concurrency, now.getTime());
  // How many more a trainer will request is unknown.
  const over = report.ended === report.runs || report.training;
  const parts = [
    ...(report.episodes === null ? [] : [episodesLine(report.episodes)]),
    ...(running > 0 ? [`${running} running`] : []),
    ...(waiting > 0 ? [colors.yellow(`${waiting} waiting for GPUs`)] : []),
    ...(faults > 0 ? [colors.red(`${faults} failed`)] : []),
    ...(report.budgetUsd === null ? [] : [`budget ${formatUsd(report.budgetUsd)}`]),
    ...(over || expectedUsd === null || expectedUsd === 0 ? [] : [`forecast ${formatUsd(String(expectedUsd))}`]),
    ...(over || remainingMs === null ? [] : [`about ${about(remainingMs)} left`]),
  ];
  return [batchHeadline(report, colors), ...parts].join(', ');
}

/** A line per run, with its remaining time. */
export function renderWatchedRuns(
  runs: readonly RunSummary[],
  report: BatchStatusReport,
  colors: Colors,
  now: Date = new Date(),
): string {
  const expect = expectations(report.runList, now.getTime());
  const left: Column<RunSummary> = {
    title: 'left',
    value: (run) => {
      const ms = leftOfRun(run, expect(run), now.getTime());
      return run.status === 'ended' ? '' : ms === null ? '–' : `~${about(ms)}`;
    },
    align: 'right',
  };
  return renderTable(runs, [...runColumns(colors), left], colors);
}

interface Cell {
  model: string;
  task: string;
  runs: RunSummary[];
}

export function renderWatchedCells(report: BatchStatusReport, colors: Colors, now: Date = new Date()): string {
  const cells = new Map<string, Cell>();
  for (const run of report.runList) {
    const key = JSON.stringify([run.model, run.task]);
    const cell = cells.get(key) ?? { model: run.model, task: run.task, runs: [] };
    cell.runs.push(run);
    cells.set(key, cell);
  }
  const best = ({ runs }: Cell): number | null => {
    const scores = runs.flatMap(({ bestScore }) => (bestScore === null ? [] : [bestScore]));
    if (scores.length === 0) return null;
    return runs[0]?.direction === 'minimize' ? Math.min(...scores) : Math.max(...scores);
  };
  const of = ({ runs }: Cell) => forecast(runs, report.concurrency, now.getTime(), report.runList);
  const number = (title: string, is: (run: RunSummary) => boolean, colour = (text: string) => text): Column<Cell> => ({
    title,
    value: ({ runs }) => {
      const n = count(runs, is);
      return n === 0 ? '' : colour(String(n));
    },
    align: 'right',
  });
  const columns: Column<Cell>[] = [
    { title: 'model', value: ({ model }) => model },
    { title: 'task', value: ({ task }) => task },
    {
      title: 'ended',
      value: ({ runs }) => `${count(runs, (run) => run.status === 'ended')}/${runs.length}`,
      align: 'right',
    },
    number('running', ({ status }) => ['starting', 'running', 'finishing'].includes(status), colors.cyan),
    number('waiting', ({ status }) => status === 'waiting_gpu', colors.yellow),
    number('failed', isFault, colors.red),
    { title: 'steps', value: ({ runs }) => String(runs.reduce((sum, { steps }) => sum + steps, 0)), align: 'right' },
    { title: 'best', value: (cell) => formatScore(best(cell)), align: 'right' },
    {
      title: 'cost',
      value: ({ runs }) => formatUsd(String(runs.reduce((sum, { costUsd }) => sum + Number(costUsd), 0))),
      align: 'right',
    },
    {
      title: 'forecast',
      value: (cell) => {
        const { expectedUsd } = of(cell);
        return expectedUsd === null ? '–' : formatUsd(String(expectedUsd));
      },
      align: 'right',
    },
  ];
  return renderTable([...cells.values()], columns, colors);
}
